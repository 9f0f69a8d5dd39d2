import Foundation
import Hostnames
import LiveServers
import Sallyport
import SallyportRelay
import TestSupport
import Testing

/// Programs without an HTTP proxy, through the relay and a Squid that demands NTLM.
@Suite(.inTurn, .serialized, .needs(.squid, .winbind, .curl, .python)) struct LiveTunnelsTests {
    @Test("curl by SOCKS, with names and with addresses, and by the address of a fixed tunnel")
    func curl() async throws {
        let squid = try await GuardedServer.started(.squidNTLM)
        let port = try ServerPort.take()
        let pages = try HelperProcess(server: "packages", ["\(port)"])
        let folder = TemporaryFolder.place("tunnels")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var settings = RelaySettings(parents: try squid.address())
        settings.listeners = []
        settings.destinations = try TestRelay.loopback()
        settings.tunnels = [try RelayTunnel(parsing: "0=127.0.0.1:\(port)")]
        settings.socksListeners = [try ListenAddress(abbreviated: "0")]
        try await TestRelay.run(settings, squid.handler()) { relay, ports in
            let shell = ClientShell(folder: folder, proxy: nil, server: "http://127.0.0.1:\(port)")
            let output = try shell.run(
                """
                set -e
                curl -sS --socks5 127.0.0.1:\(ports[1]) $SERVER/page.html
                curl -sS --socks5-hostname 127.0.0.1:\(ports[1]) $SERVER/page.html
                curl -sS http://127.0.0.1:\(ports[0])/page.html
                curl -sS --socks5-hostname 127.0.0.1:\(ports[1]) http://localhost/ || echo "refused $?"
                """
            )
            // curl: 97 is CURLE_PROXY.
            #expect(
                output.components(separatedBy: "<p>in</p>").count == 4 && output.contains("refused 97"),
                "\(output)"
            )
            let counters = await relay.counters()
            #expect(counters.tunnels == 3 && counters.badLogOns == 0)
        }
        let bad = try squid.takeBadLogOns()
        #expect(bad == 0)
        withExtendedLifetime(pages) {}
    }
}
