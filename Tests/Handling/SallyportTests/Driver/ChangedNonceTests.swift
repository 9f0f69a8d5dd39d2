import Credentials
import HTTPAuthentication
import HTTPTypes
import Hostnames
import Testing

@testable import ChallengeHandling
@testable import Sallyport

/// Servers that ask with another nonce and do not say `stale`, as after a restart or behind one name (RFC 7616 section 3.6 leaves the
/// life of nonces to servers; curl and requests log on again).
@Suite struct ChangedNonceTests {
    /// A server that takes answers to its own nonce only.
    struct Server {
        let nonce: String
        var knowsPassword = true

        func response(to answer: String?) -> (Int, HTTPFields) {
            if knowsPassword, let answer, answer.contains("nonce=\"\(nonce)\"") { return (200, [:]) }
            return (401, TestProfile.fields(#"Digest realm="x", nonce="\#(nonce)", qop="auth", algorithm=SHA-256"#))
        }
    }

    let handler: ChallengeHandler

    init() throws { handler = try ChallengeHandler(still: TestProfile.make(schemes: [.digest])) }

    /// Returns the nonces of the answers, and how the request ended.
    func run(_ server: Server, _ target: String = "/a") throws -> (sends: Int, outcome: RequestOutcome?) {
        let origin = try Origin(parsing: "https://wiki.acme.example")
        var authentication = handler.authentication(of: OutgoingRequest(origin: origin, target: target))
        var step = authentication.begin()
        var sends = 0
        while case .send(let sending) = step {
            sends += 1
            let (status, fields) = server.response(to: sending.authorization?.value)
            step = authentication.received(status: status, fields: fields)
        }
        guard case .deliver(let outcome) = step else { return (sends, nil) }
        return (sends, outcome)
    }

    @Test("Two servers behind one name: each request succeeds, and no refusal is counted") func twoServers() throws {
        let servers = [Server(nonce: "one"), Server(nonce: "two")]
        for index in 0..<40 {
            let (sends, outcome) = try run(servers[index % 2], "/\(index)")
            #expect(outcome == .accepted)
            #expect(sends == 2)
        }
        #expect(try run(servers[1]).sends == 1)
    }

    @Test("A wrong password is refused after one answer to the new nonce") func wrongPassword() throws {
        _ = try run(Server(nonce: "one"))
        let (sends, outcome) = try run(Server(nonce: "two", knowsPassword: false))
        #expect(sends == 2)
        #expect(outcome == .withheld(.credentialsRefused(account: "jdoe"), by: .origin))
    }

    @Test("The same nonce without `stale` refuses the answer") func sameNonce() throws {
        _ = try run(Server(nonce: "one"))
        let (sends, outcome) = try run(Server(nonce: "one", knowsPassword: false))
        #expect(sends == 1)
        #expect(outcome == .withheld(.credentialsRefused(account: "jdoe"), by: .origin))
    }
}
