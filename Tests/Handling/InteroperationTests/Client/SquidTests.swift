import HTTPAuthentication
import HTTPTypes
import LiveServers
import NTLM
import Testing

/// A proxy that demands NTLM, over a raw socket: 407, then GET or CONNECT.
@Suite("NTLM against Squid", .inTurn, .serialized, .needs(.squid, .winbind, .samba, .pyspnego, .namespaces))
struct SquidTests {
    private func run(
        _ method: String,
        _ target: String,
        user: String,
        password: String,
        domain: String = "ACME",
        on connection: LoopbackConnection
    ) throws -> (statuses: [Int], end: ExchangeStep) {
        let account = try NTLMAccount(user: user, domain: domain, hash: NTHash(password: password))
        let request = ExchangeRequest(method: method, target: target, host: "localhost")
        var exchange = AuthenticationExchange.ntlm(account, party: .proxy, request: request)
        var statuses: [Int] = []
        var field: HTTPField?
        for _ in 0..<4 {
            let response = try connection.request(method, target, host: "localhost", field: field)
            statuses.append(response.status)
            let step = exchange.received(status: response.status, fields: response.fields)
            guard case .send(let name, let value, let sameConnection) = step else { return (statuses, step) }
            #expect(name == .proxyAuthorization)
            // Only AUTHENTICATE belongs to the connection of the response before it.
            #expect(sameConnection == value.text.hasPrefix("NTLM TlRMTVNTUAAD"))
            field = value.field(named: name)
        }
        throw PeerFailure(what: "the exchange does not end: \(statuses)")
    }

    @Test("GET and CONNECT with right and wrong passwords", arguments: [ServerScript.Squid.Helper.samba, .pyspnego])
    func requests(helper: ServerScript.Squid.Helper) throws {
        let squid = try ServerScript.Squid(helper: helper)
        func connect() throws -> LoopbackConnection { try LoopbackConnection(port: squid.proxy) }
        let origin = "127.0.0.1:\(squid.origin)"
        let page = "http://\(origin)/"

        // One connection is one user: the second request needs no answer.
        let kept = try connect()
        let first = try run("GET", page, user: "jdoe", password: "Correct-Horse", on: kept)
        #expect(first.statuses == [407, 407, 200])
        #expect(first.end == .done)
        #expect(try kept.request("GET", page, host: origin).status == 200)

        // Through the tunnel stands the origin server, which asks for nothing.
        let tunnel = try connect()
        let connected = try run("CONNECT", origin, user: "jdoe", password: "Correct-Horse", on: tunnel)
        #expect(connected.statuses == [407, 407, 200])
        #expect(connected.end == .done)
        #expect(try tunnel.request("GET", "/", host: origin).status == 200)

        let unicode = try run("GET", page, user: "łukasz", password: "Żółw-Ü", on: connect())
        #expect(unicode.statuses == [407, 407, 200])

        for method in ["GET", "CONNECT"] {
            let target = method == "GET" ? page : origin
            let wrong = try run(method, target, user: "jdoe", password: "Wrong-Horse", on: connect())
            #expect(wrong.statuses == [407, 407, 407])
            #expect(wrong.end == .fail(.refused))
        }

        let bare = try run("GET", page, user: "jdoe", password: "Correct-Horse", domain: "", on: connect())
        switch helper {
        // The account is one of the server's own, so that no domain means the right one.
        case .samba, .sambaSPNEGO: #expect(bare.statuses == [407, 407, 200])
        case .pyspnego: #expect(bare.end == .fail(.refused))
        }
    }
}
