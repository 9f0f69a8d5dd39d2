import Foundation
import PinAudits
import SPKIPins
import TestSupport
import Testing

private let trustedFile = "/etc/ssl/certs/ca-certificates.crt"

@Suite("Keys that are in use have no weakness")
struct FalsePositiveTests {
    @Test(
        "Authorities that this machine trusts",
        .enabled(if: FileManager.default.isReadableFile(atPath: trustedFile), "needs Debian's ca-certificates")
    )
    func authorities() throws {
        try expectNoWeakness(in: [URL(filePath: trustedFile)], atLeast: 100, usual: 6)
    }

    @Test(
        "Recorded certificates",
        .enabled(if: !RecordedCertificates.files.isEmpty, "\(RecordedCertificates.whyNot)")
    )
    func recordings() throws {
        try expectNoWeakness(in: RecordedCertificates.files, atLeast: 1)
    }

    private func expectNoWeakness(in files: [URL], atLeast count: Int, usual: Int = .max) throws {
        var audit = PinAudit()
        for file in files {
            let text = [UInt8](try Data(contentsOf: file))
            audit.certificates += try PEM.certificates(in: text.span)
        }
        #expect(audit.certificates.count >= count)
        // A key takes up to half a second in a debug build.
        audit.certificates = Effort.sample(of: audit.certificates, usual: usual)
        let found = audit.findings(at: 0).filter { finding in
            if case .key = finding.problem { finding.severity > .note } else { false }
        }
        // Exponents of 3 and of 43147 are in use, and worth a note.
        #expect(found == [])
    }
}
