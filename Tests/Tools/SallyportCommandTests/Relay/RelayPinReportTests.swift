import Foundation
import Hostnames
import LiveServers
import SwiftASN1
import TestLimits
import Testing
import X509

/// A relay whose parent has another key than the pinned one, and the receiver of its reports.
@Suite(.inTurn) struct RelayPinReportTests {
    @Test("The client reads why, and the receiver gets a report")
    func reported() async throws {
        let root = try TestAuthority("Root")
        let parent = try await ScriptedServer(tls: root.leaf("localhost").serverContext) { _ in .close }
        defer { parent.stop() }
        let receiver = try await ScriptedServer { _ in .sendAndClose("HTTP/1.1 204 No Content\r\n\r\n") }
        defer { receiver.stop() }
        let folder = try StoreFolder()
        let roots = try folder.write(root.own.certificate.serializeAsPEM().pemString, "roots.pem")
        let digits = "\(try TestAuthority("Other").own.pin)".dropFirst("sha256/".count)
        let profile = try folder.write(
            """
            version: 1
            sites: []
            schemes: [basic]
            pins:
              - host: localhost
                pins: [{ sha256: "\(digits)" }]
                withoutBackup: "a test"
            pinReports: \(receiver.origin)/
            """,
            "profile.yaml"
        )
        let relay = try RunningRelay([
            "--no-store", "--parent", "\(parent.origin)", "--profile", profile, "--cacert", roots,
        ])
        let (status, body) = try relay.get("http://a.example/")
        #expect(status == 502 && body.contains("has no pinned key"), "\(body)")
        try await eventually("the report") { !receiver.requests.isEmpty }
        let report = try #require(receiver.requests.first).body
        let json = try JSONSerialization.jsonObject(with: Data(report.utf8)) as? [String: Any]
        #expect(json?["hostname"] as? String == "localhost" && json?["port"] as? Int == Int(parent.origin.port))
        #expect(parent.requests.isEmpty)
    }
}
