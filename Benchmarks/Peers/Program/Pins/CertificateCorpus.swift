internal import PeerComparison
internal import SPKIPins

/// Certificates, and what is made of them before anything is measured.
struct CertificateCorpus {
    let file: ItemFile
    let certificates: [[UInt8]]
    let pins: [Pin]

    init(file: ItemFile) {
        self.file = file
        certificates = file.items
        pins = certificates.compactMap { try? Pin(ofCertificate: $0.span) }
    }
}
