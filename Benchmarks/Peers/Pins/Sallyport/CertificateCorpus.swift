internal import SPKIPins

/// Certificates as `compare` writes them for every peer: four bytes of length, the lowest first, then the certificate.
struct CertificateCorpus {
    let bytes: [UInt8]
    let places: [Range<Int>]
    let certificates: [[UInt8]]
    let pins: [Pin]

    init(file bytes: [UInt8]) {
        self.bytes = bytes
        var places: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count {
            let length = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16
            places.append(offset + 4..<offset + 4 + length)
            offset += 4 + length
        }
        self.places = places
        certificates = places.map { Array(bytes[$0]) }
        pins = certificates.compactMap { try? Pin(ofCertificate: $0.span) }
    }
}
