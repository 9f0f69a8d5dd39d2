import LiveServers
import Sallyport
import Testing

/// Servers behind TLS that demand `tls-server-end-point`, which the handler computes from the certificate it is shown.
@Suite(
    "Channel bindings that a server checks",
    .inTurn,
    .needs(.openssl, .python, .pyspnego, .pythonGSSAPI, .gssNTLMSSP)
)
struct LiveChannelBindingTests {
    /// A server, and what it makes of an answer without bindings.
    struct Acceptor: CustomTestStringConvertible {
        let kind: TokenPeer.Kind
        let takesNone: Bool
        let testDescription: String
    }
    static let acceptors = [
        Acceptor(kind: .pyspnego, takesNone: false, testDescription: "pyspnego"),
        // Breaks MS-NLMP 3.2.5.1.2, by which a server with bindings refuses an answer without them.
        Acceptor(kind: .gssNTLMSSP, takesNone: true, testDescription: "gss-ntlmssp"),
    ]

    @Test("The right certificate, another one, and none", arguments: acceptors)
    func bindings(acceptor: Acceptor) throws {
        let front = try HelperProcess(acceptor.kind.command(script: "acceptor_front.py"))
        let port = try #require(UInt16(front.readLine()))
        var site = LiveSite(port: port, door: .https)
        func status(_ connection: LoopbackConnection, certificate: [UInt8]? = nil) throws -> Int? {
            let handler = try site.handler(password: "Correct-Horse")
            return try site.run(handler, on: connection, certificate: certificate).statuses.last
        }
        let connection = try site.connect()
        #expect(try status(connection) == 200)
        // As from a relay: the client saw a certificate that differs in its last bit, which is one of the signature.
        var other = connection.certificate
        other[other.count - 1] ^= 1
        #expect(try status(site.connect(), certificate: other) == 401)
        let unbound = try site.run(site.handler(password: "Correct-Horse"), on: site.connect(), certificate: [])
        #expect(unbound.statuses == [401])
        #expect(unbound.end == .withhold(.unbound(account: "account", .noCertificate)))
        site.allowsUnbound = true
        #expect(try status(site.connect(), certificate: []) == (acceptor.takesNone ? 200 : 401))
    }
}
