import Crypto
import Foundation
import Hostnames
import LiveServers
import SwiftASN1
import Testing
import X509

/// A relay whose parent is a proxy over TLS, with no option about roots: those of the system count.
@Suite(.inTurn, .needs(.haproxy)) struct ParentRootsTests {
    /// What a client gets through a relay that trusts `trusted`: the answer to a request, and the first line for a tunnel.
    private static func answers(
        trusting trusted: TestAuthority,
        _ leaf: Keyed
    ) async throws -> (status: Int, body: String, tunnel: String, requests: Int) {
        let parent = try await ScriptedServer { request in
            .send(request.head.hasPrefix("CONNECT ") ? "HTTP/1.1 200 OK\r\n\r\n" : BasicParent.ok)
        }
        defer { parent.stop() }
        let haproxy = try await HAProxyWithTLS(leaf, server: parent.origin.port)
        let folder = try StoreFolder()
        let roots = try folder.write(trusted.own.certificate.serializeAsPEM().pemString, "roots.pem")
        let relay = try RunningRelay(
            ["--no-store", "--parent", "https://localhost:\(haproxy.port)"],
            environment: ["SSL_CERT_FILE": roots]
        )
        let (status, body) = try relay.get("http://a.example/")
        let stream = try ByteStream(port: relay.port)
        try stream.send(Array("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n".utf8))
        let head = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let line = head.split(separator: "\r\n").first.map(String.init) ?? ""
        return (status, body, line, parent.requests.count)
    }

    @Test("A parent of an authority of the system gets requests and tunnels") func trusted() async throws {
        let root = try TestAuthority("Root")
        let answers = try await Self.answers(trusting: root, root.leaf("localhost"))
        #expect(answers.status == 200 && answers.body == "ok")
        #expect(answers.tunnel.hasPrefix("HTTP/1.1 200"), "\(answers.tunnel)")
        #expect(answers.requests == 2)
    }

    @Test(
        "A parent of another authority, with another name or an expired certificate gets nothing, and the client reads why"
    )
    func untrusted() async throws {
        let (root, stranger) = (try TestAuthority("Root"), try TestAuthority("Stranger"))
        let past = TestAuthority.Changes(begin: Date() - 7_200, end: Date() - 3_600)
        for (leaf, reason, remedy) in [
            (
                try stranger.leaf("localhost"), "no path leads to a trusted root, and the issuer is",
                "--cacert of sallyport relay"
            ),
            (try root.leaf("other.example"), "the server's certificate is for other hosts", "use one of its names"),
            (try root.leaf("localhost", changes: past), "has expired", "renew it, or correct this machine's clock"),
        ] {
            let answers = try await Self.answers(trusting: root, leaf)
            #expect(answers.status == 502 && answers.requests == 0)
            #expect(answers.body.contains(reason) && answers.body.contains(remedy), "\(answers.body)")
            #expect(answers.tunnel.hasPrefix("HTTP/1.1 502") && answers.tunnel.contains(reason), "\(answers.tunnel)")
        }
    }
}
