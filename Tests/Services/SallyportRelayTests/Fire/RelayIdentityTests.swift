import AllowedSites
import Credentials
import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import Secrets
import TestSupport
import Testing

/// Requests of 16 identities over relays that share two parents, while the accounts of the relays change.
@Suite(.inTurn) struct RelayIdentityTests {
    /// `SALLYPORT_IDENTITIES` sets the number of requests: 1,000,000 in `.ci/slow`.
    static let count = Effort.count("SALLYPORT_IDENTITIES", usual: 4_096)
    static let users = (0..<16).map { "user\($0)" }
    /// How many clients use one relay at once, and how many requests each makes until the account changes.
    static let (clients, requests) = (4, 16)

    private static func profile(_ parents: [String], _ user: String) throws -> SecurityProfile {
        let account = Account(
            name: user,
            user: user,
            domain: NTLMParent.domain,
            password: SharedSecret(utf8: "secret of \(user)")
        )
        return SecurityProfile(
            sites: try SiteList(parsing: parents.joined(separator: "\n"), name: "test"),
            schemes: [.ntlm],
            accounts: [AccountAssignment(account, sites: parents)]
        )
    }

    @Test("No response has the name of another identity") func identities() async throws {
        let hashes = try Dictionary(
            uniqueKeysWithValues: Self.users.map { ($0, try NTHash(password: "secret of \($0)")) }
        )
        let parents = [try await NTLMParent(hashes, seed: 7), try await NTLMParent(hashes, seed: 8)]
        let origins = parents.map { "\($0.origin)" }
        let tally = try await withThrowingTaskGroup(of: Tally.self) { group in
            for number in 0..<Self.users.count {
                group.addTask { try await Self.run(number, origins) }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        for parent in parents { await parent.stop() }
        #expect(tally.wrong == 0)
        // Connections close at any moment, also after the message with the password, which is not sent a second time.
        #expect(tally.right > Self.count * 8 / 10, "\(tally)")
        #expect(parents.reduce(0) { $0 + $1.counts.badLogOns } == 0)
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

    /// One relay: in each round it gets another account, and its clients ask with whose name they arrive.
    private static func run(_ number: Int, _ parents: [String]) async throws -> Tally {
        let first = try Origin(parsing: parents[number % 2])
        let current = CurrentHandler(ChallengeHandler(try CompiledProfile(profile(parents, users[number]), at: 0)))
        var settings = RelaySettings(parents: first)
        settings.listeners = [try ListenAddress(parsing: "127.0.0.1:0")]
        let idle = settings.limits.idleParent
        settings.limits = settings.limits.patient
        // No request takes the connections of an account that was replaced, so they would stay for the whole test.
        settings.limits.idleParent = idle
        settings.limits.grace = .milliseconds(100)
        let relay = Relay(current, settings)
        let port = UInt16(try await relay.start().first?.port ?? 0)
        var tally = Tally()
        for round in 0..<max(1, count / users.count / clients / requests) {
            let user = users[(number + round) % users.count]
            _ = current.replace(with: try CompiledProfile(profile(parents, user), at: 0))
            await withTaskGroup(of: Tally.self) { group in
                for _ in 0..<clients { group.addTask { visit(port, user) } }
                for await each in group { tally.add(each) }
            }
        }
        await relay.stop()
        return tally
    }

    private static func visit(_ port: UInt16, _ user: String) -> Tally {
        var tally = Tally()
        var client: RelayClient?
        for _ in 0..<requests {
            do {
                let connected = try client ?? RelayClient(port: port)
                client = connected
                let response = try connected.get("http://a.example/")
                if response.status == 200 {
                    if response.body == user { tally.right += 1 } else { tally.wrong += 1 }
                } else {
                    tally.lost += 1
                }
                if response.field("Connection") == "close" { client = nil }
            } catch {
                tally.lost += 1
                client = nil
            }
        }
        return tally
    }
}
