import Credentials
import Hostnames
import LiveServers
import Sallyport
import Secrets
import Testing

/// Apache with `AuthDigestNonceLifetime 0`: each nonce serves one request, and each success brings the next one and a proof.
@Suite("Digest against an Apache with nonces of one use", .inTurn, .serialized, .needs(.apache, .openssl, .curl))
struct OneTimeNonceTests {
    private let apache: ServerScript.PasswordApache
    private let origin: Origin

    init() throws {
        apache = try ServerScript.PasswordApache(realm: Array("Acme".utf8))
        origin = try Origin(parsing: "http://localhost:\(apache.http)")
    }

    private func handler(oneAtATime: Bool, password: String = GuardedServer.password) throws -> ChallengeHandler {
        let account = Account(name: "account", user: "jdoe", domain: nil, password: SharedSecret(utf8: password))
        var lockout = LockoutRules()
        lockout.isOneAtATime = oneAtATime
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(origin)", name: "live"),
            schemes: [.digest],
            accounts: [.init(account, sites: ["\(origin)"])],
            lockout: lockout
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    private let target = "/digest-once"

    @Test("curl gets the page, several at a time") func curl() throws {
        let clients = try (0..<8).map { _ in
            try HelperProcess([
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}\\n", "--digest", "-u",
                "jdoe:\(GuardedServer.password)", "\(origin)\(target)",
            ])
        }
        for client in clients { #expect(try client.readLine() == "200") }
    }

    @Test("We get each page, one after the other and 32 at a time", arguments: [false, true])
    func pages(oneAtATime: Bool) async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let client = LiveClient(try handler(oneAtATime: oneAtATime))
            for index in 0..<10 {
                let reply = try await client.send(LiveRequest(target, at: origin))
                #expect(reply.status == 200 && reply.outcome == .accepted && reply.sends <= 2, "\(index): \(reply)")
            }
            for _ in 0..<3 {
                let replies = try await client.send((0..<32).map { _ in LiveRequest(target, at: origin) }, atOnce: true)
                #expect(replies.filter { $0.status != 200 } == [])
            }
        }
    }

    @Test("A wrong password is refused once, and sent no more") func wrongPassword() async throws {
        try await withTaskExecutorPreference(ThreadPerJob.shared) {
            let client = LiveClient(try handler(oneAtATime: false, password: "Wrong-Horse"))
            for index in 0..<3 {
                let reply = try await client.send(LiveRequest(target, at: origin))
                #expect(reply.status == 401 && reply.sends == (index == 0 ? 2 : 1), "\(index): \(reply)")
            }
        }
    }
}
