import Foundation
import PinAudits
import SPKIPins
import Testing

private let trustedFile = "/etc/ssl/certs/ca-certificates.crt"
/// A PEM file of recorded certificates.
private let recordedFile = ProcessInfo.processInfo.environment["SALLYPORT_RECORDED_PEM"]

@Suite("Keys that are in use have no weakness")
struct FalsePositiveTests {
    @Test(
        "Authorities that this machine trusts",
        .enabled(if: FileManager.default.isReadableFile(atPath: trustedFile), "needs Debian's ca-certificates")
    )
    func authorities() throws {
        try expectNoWeakness(in: trustedFile, atLeast: 100)
    }

    @Test(
        "Recorded certificates",
        .enabled(if: recordedFile != nil, "SALLYPORT_RECORDED_PEM names no file of certificates")
    )
    func recordings() throws {
        try expectNoWeakness(in: try #require(recordedFile), atLeast: 1)
    }

    private func expectNoWeakness(in path: String, atLeast count: Int) throws {
        let text = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var audit = PinAudit()
        audit.certificates = try PEM.certificates(in: text.span)
        #expect(audit.certificates.count >= count)
        let found = audit.findings(at: 0).filter { finding in
            if case .key = finding.problem { finding.severity > .note } else { false }
        }
        // Exponents of 3 and of 43147 are in use, and worth a note.
        #expect(found == [])
    }
}
