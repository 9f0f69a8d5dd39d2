import LiveServers
import Logging
import Sallyport
import SallyportNIO
import SallyportRelay
import Testing
import X509

/// A parent over TLS 1.3 that demands a client certificate: it looks at it when the handshake has ended for the relay.
@Suite(.inTurn) struct RefusedCertificateTests {
    @Test("The log has one line for the refusals, also after a rest, and one when the parent takes requests")
    func refused() async throws {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let context = try root.leaf("localhost").serverContext(asking: clients, demands: true)
        let parent = try await ScriptedServer(tls: context) { _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        defer { parent.stop() }
        let laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth]))
        let current = CurrentHandler(try TestRelay.noAccounts())
        var tls = TLSSettings.patient
        tls.roots = .certificates([try root.own.der])
        tls.identityKeys["laptop"] = try laptop.source
        let log = RecordedLog()
        var settings = RelaySettings(parents: parent.origin)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        settings.logger = log.logger
        try await TestRelay.run(settings, tls: try TLSConnector(tls, current)) { relay, ports in
            func get() throws -> RelayClient.Response { try RelayClient(port: ports[0]).get("http://a.example/") }
            let first = try get()
            #expect(first.status == 502 && first.body.contains("certificate"), "\(first.body)")
            // A rest may end before the test looks, and the next one is longer.
            try await eventually("the parent rests") { try get().status == 502 && relay.parentsInUse() == [false] }
            try await eventually("the rest ends") { relay.parentsInUse() == [true] }
            #expect(try get().status == 502)
            let warnings = log.lines(.warning).filter { $0.message == "the parent cannot be reached" }
            #expect(warnings.count == 1 && warnings[0].metadata["reason"]?.contains("certificate") == true)
            #expect(log.lines(.notice).isEmpty)
            // From now on the profile has a certificate for it.
            let rule = "\(parent.origin)"
            let identity = try ClientIdentity(name: "laptop", certificateChain: [laptop.der])
            let profile = SecurityProfile(
                sites: try SiteList(parsing: rule, name: "test"),
                schemes: [.basic],
                identities: [.init(identity, sites: [rule])]
            )
            current.replace(with: try CompiledProfile(profile, at: 0))
            for _ in 0..<2 { #expect(try get().body == "ok") }
            #expect(log.lines(.notice).map(\.message) == ["the parent can be reached again"])
        }
        #expect(parent.requests.count == 2)
    }
}
