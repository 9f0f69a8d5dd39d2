import ChallengeReplay
import Corpora
import Foundation
import Hostnames
import LiveServers
import PinAudits
import PinFormats
import PinningStudy
import ProfileFiles
import SPKIPins
import Sallyport
import Testing
import X509

/// The snippets of the pages about recordings, pins and profiles in files.
@Suite(.inTurn) struct StudySnippetTests {
    private static let one = "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8="
    private static let two = "OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8="

    private static func entry(_ host: String, _ pin: Pin) throws -> PinPolicy.Entry {
        let spare = PositionedPin(try Pin(parsing: "sha256/\(two)"))
        return PinPolicy.Entry(host: host, pins: [PositionedPin(pin)], backup: .pins([spare]), expiry: nil)
    }

    @Test("The profile in a file makes a handler, and the recording that ships has no differences") func replay() throws
    {
        let recording = try ShippedRecording.corporateDay.load()
        let report = try ChallengeReplaySnippet.replay(recording, ProfileReader.read(recording.profile))
        #expect(report.differences == [] && report.exchanges > 3_000)
        let handler = try ProfileFilesSnippet.handler(recording.profile.path, now: 1_700_000_000)
        var exchange = handler.exchange(
            for: ChallengedRequest(
                origin: try Origin(parsing: "https://evilacme.example"),
                method: "GET",
                target: "/",
                serverCertificate: nil
            )
        )
        guard case .withhold = exchange.received(status: 401, fields: [.wwwAuthenticate: "Basic realm=x"]) else {
            Issue.record("a site that no rule allows got an answer")
            return
        }
    }

    @Test("A pin without a certificate and without an expiry is found") func audit() throws {
        let leaf = try TestAuthority("Root").leaf("www.host.example")
        let audit = PinAuditsSnippet.audit([try Self.entry("www.host.example", leaf.pin)], [try leaf.der], now: 0)
        #expect(audit.policies.count == 1 && audit.certificates.count == 1)
        #expect(!audit.findings(at: 0).isEmpty)
    }

    @Test("OkHttp's pins become Android's") func formats() throws {
        let text = """
            .add("host.example", "sha256/\(Self.one)")
            .add("host.example", "sha256/\(Self.two)")
            """
        let (written, _) = try PinFormatsSnippet.convert(Array(text.utf8))
        #expect(written.contains(#"<pin digest="SHA-256">\#(Self.one)</pin>"#), "\(written)")
    }

    @Test("The study of the recording that ships has an advice and a page") func study() throws {
        let (report, html) = PinningStudySnippet.compare(try ShippedChainRecording.publicSites.load())
        #expect(report.advice.contains("ship "))
        #expect(html.contains("<svg") && html.contains("</html>"))
    }
}
