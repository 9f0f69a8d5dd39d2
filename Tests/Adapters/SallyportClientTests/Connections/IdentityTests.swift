import AllowedSites
import Credentials
import Hostnames
import LiveServers
import NIOCore
import NIOHTTP1
import NTLM
import Sallyport
import SallyportClient
import Secrets
import TestSupport
import Testing

/// Requests of several accounts over the pooled connections of one client.
@Suite(.inTurn) struct IdentityTests {
    /// `SALLYPORT_IDENTITIES` sets the number of requests: 1,000,000 in `.ci/slow`.
    static let count = Effort.count("SALLYPORT_IDENTITIES", usual: 1_500)
    static let users = (0..<8).map { "user\($0)" }

    private func handler(_ origin: Origin) throws -> ChallengeHandler {
        let place = "\(origin)"
        let accounts = Self.users.map { user in
            let account = Account(
                name: user,
                user: user,
                domain: NTLMTestServer.domain,
                password: SharedSecret(utf8: "secret of \(user)")
            )
            return AccountAssignment(account, sites: ["\(place)/\(user)/"])
        }
        let profile = SecurityProfile(
            sites: try SiteList(parsing: place, name: "test"),
            schemes: [.ntlm],
            accounts: accounts
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }

    @Test("Each request arrives with the identity of its account") func identities() async throws {
        let hashes = try Dictionary(
            uniqueKeysWithValues: Self.users.map { ($0, try NTHash(password: "secret of \($0)")) }
        )
        let server = try await NTLMTestServer(hashes, seed: 7)
        defer { server.stop() }
        let client = AuthenticatedClient(CurrentHandler(try handler(server.origin)), settings: .patient)
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for task in 0..<32 {
                group.addTask { try await Self.visit(server.origin, client, seed: UInt64(task)) }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        #expect(tally.wrong == 0)
        // Connections close at any moment; what is lost by that is not repeated for ever.
        #expect(tally.right > Self.count * 8 / 10, "\(tally)")
    }

    struct Tally: Sendable {
        var right = 0
        var wrong = 0
        var lost = 0

        mutating func add(_ other: Tally) {
            right += other.right
            wrong += other.wrong
            lost += other.lost
        }
    }

    private static func visit(_ origin: Origin, _ client: AuthenticatedClient, seed: UInt64) async throws -> Tally {
        var random = SeededGenerator(seed: seed)
        var tally = Tally()
        for number in 0..<(count / 32) {
            let user = users[Int.random(in: 0..<users.count, using: &random)]
            let request = ClientRequest(origin: origin, target: "/\(user)/\(number)")
            do {
                let response = try await client.execute(request, deadline: .now() + .hours(1))
                let body = String(buffer: try await response.body.collect(upTo: 100))
                if response.status == .ok {
                    if body == user { tally.right += 1 } else { tally.wrong += 1 }
                } else {
                    tally.lost += 1
                }
            } catch is ClientError {
                tally.lost += 1
            }
        }
        return tally
    }
}
