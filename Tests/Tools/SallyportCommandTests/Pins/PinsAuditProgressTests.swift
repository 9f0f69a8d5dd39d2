import Foundation
import LiveServers
import TestSupport
import Testing

/// Who looks at a terminal sees how far an audit is, when it takes more than a second.
@Suite(.inTurn, .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct PinsAuditProgressTests {
    // As many as take some seconds: unoptimised, a key takes 30 ms.
    #if DEBUG
        private static let keyCount = 100
    #else
        private static let keyCount = 2500
    #endif

    @Test func aLineCountsStepsAndIsTakenAway() throws {
        let file = TemporaryFolder.place("keys", extension: ".pem")
        try Data(Self.certificates().utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let session = try PythonTerminal.session("watch:", ["pins", "audit", file.path])
        // Random moduli have small factors, so there is something to tell.
        #expect(session.exit == 1 && session.output.contains("critical"))
        // Each time over the line that stands there: carriage return, "erase to the end of the line".
        let lines = session.shown.components(separatedBy: "\r\u{1B}[K")
        #expect(lines.count > 2 && lines.first == "" && lines.last == "")
        var last = 0
        for line in lines.dropFirst().dropLast() {
            let match = try #require(line.wholeMatch(of: /(\d+) of (\d+) steps, (\d+) s/), "\(line)")
            let (done, total) = (try #require(Int(match.1)), try #require(Int(match.2)))
            #expect(done >= last && done <= total && total >= Self.keyCount)
            last = done
        }
        #expect(last > 0)
    }

    @Test func nothingIsWrittenToAFile() throws {
        let files = ["keys.pem": Self.certificates()]
        let run = try PinsRun(["audit", "@keys.pem"], files: files)
        #expect(run.status == 1 && run.error.isEmpty)
    }

    /// Certificates of that many keys, in PEM.
    private static func certificates() -> String {
        var generator = SeededGenerator(seed: 4)
        return (0..<keyCount).map { _ in
            var modulus = generator.bytes(256)
            modulus[0] |= 0x80
            modulus[255] |= 1
            let exponent = der(0x02, [1, 0, 1])
            var certificate = HandmadeCertificate()
            certificate[.keyAlgorithm] = der(0x30, der(0x06, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]), [5, 0])
            certificate[.keyBits] = der(0x03, [0] + der(0x30, der(0x02, [0] + modulus), exponent))
            let digits = Data(certificate.bytes).base64EncodedString(options: [
                .lineLength64Characters, .endLineWithLineFeed,
            ])
            return "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
        }.joined()
    }
}
