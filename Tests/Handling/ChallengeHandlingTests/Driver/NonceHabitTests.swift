import HTTPAuthentication
import Sallyport
import Testing

@testable import ChallengeHandling

/// What servers do with their nonces. The clients curl (which asks before each request) and requests of Python (which answers each other
/// nonce once a request) log in at all of them.
@Suite struct NonceHabitTests {
    struct Habit: CustomTestStringConvertible {
        let testDescription: String
        /// Whether two servers that do not know each other's nonces take turns.
        let isPair: Bool
        let set: @Sendable (NonceServer) -> Void

        init(_ name: String, isPair: Bool = false, _ set: @escaping @Sendable (NonceServer) -> Void) {
            (testDescription, self.isPair, self.set) = (name, isPair, set)
        }

        func servers(_ party: ChallengedParty) -> [NonceServer] {
            let servers = (isPair ? ["one", "two"] : ["one"]).map { NonceServer($0, party) }
            for server in servers { set(server) }
            return servers
        }

        /// What challenges say of a nonce that is lost.
        private static let words: [(name: String, set: @Sendable (NonceServer) -> Void)] = [
            ("no word", { _ in }), ("stale=false to answers", { $0.moreToAnswers = ", stale=false" }),
            ("stale=false always", { $0.more = #", stale="false""# }),
            ("stale=true", { $0.moreToLost = ", stale=true" }),
        ]
        /// What a success brings.
        private static let successes: [(name: String, set: @Sendable (NonceServer) -> Void)] = [
            ("", { _ in }), (", information", { $0.sendsInformation = true }),
            (", nextnonce", { $0.sendsNextNonces = true }),
        ]

        static let all: [Habit] =
            words.flatMap { word in
                successes.flatMap { success in
                    [
                        Habit("nonces of one use, \(word.name)\(success.name)") {
                            $0.uses = 1
                            word.set($0)
                            success.set($0)
                        },
                        Habit("two servers, \(word.name)\(success.name)", isPair: true) {
                            word.set($0)
                            success.set($0)
                        },
                    ]
                }
            } + [
                Habit("nonces of two uses") { $0.uses = 2 },
                Habit("one nonce of one use for each client, stale=true, nextnonce") {
                    ($0.uses, $0.knowsClients, $0.moreToLost, $0.sendsNextNonces) = (1, true, ", stale=true", true)
                },
                Habit("a realm for each server", isPair: true) { $0.realm = $0.name },
                Habit("a realm for each challenge") { $0.changesRealm = true },
                Habit("opaque data of each server", isPair: true) { $0.more = #", opaque="\#($0.name)""# },
                // As Tomcat does: it calls old nonces stale, and not those of another server or with a count that it has seen.
                Habit("one calls lost nonces stale, the other does not", isPair: true) {
                    $0.moreToLost = $0.name == "one" ? ", stale=true" : ""
                },
            ]
    }

    @Test(
        "The right password is let in with each request, by two sends at most, and is refused nowhere",
        arguments: Habit.all,
        [ChallengedParty.origin, .proxy]
    )
    func rightPassword(habit: Habit, party: ChallengedParty) throws {
        let (world, servers) = (try NonceWorld(), habit.servers(party))
        for index in 0..<24 {
            let (sends, outcome) = try world.run(servers[index % servers.count], "/\(index)")
            #expect(outcome == .accepted && sends <= 2, "\(index): \(sends) sends, \(outcome as Any)")
            if index % 3 == 2 { world.passQuietTime() }
        }
        for server in servers {
            #expect(try world.runAtOnce(8, server) == [RequestOutcome](repeating: .accepted, count: 8))
        }
        #expect(servers.allSatisfy { $0.badLogOns == 0 })
    }

    @Test(
        "A wrong password is sent once, and one that changed in a quiet time twice",
        arguments: Habit.all,
        [ChallengedParty.origin, .proxy]
    )
    func wrongPassword(habit: Habit, party: ChallengedParty) throws {
        for isRightAtFirst in [false, true] {
            let (world, servers) = (try NonceWorld(), habit.servers(party))
            if isRightAtFirst {
                for index in 0..<6 {
                    #expect(try world.run(servers[index % servers.count], "/\(index)").outcome == .accepted)
                }
            }
            for server in servers { server.knowsPassword = false }
            world.passQuietTime()
            for index in 6..<18 {
                let (sends, outcome) = try world.run(servers[index % servers.count], "/\(index)")
                #expect(outcome != .accepted && sends <= 3, "\(index): \(sends) sends, \(outcome as Any)")
            }
            let bad = servers.map(\.badLogOns).reduce(0, +)
            #expect(bad == (isRightAtFirst ? 2 : 1), "\(bad) bad log-ons")
        }
    }

    @Test(
        "A password that changes under 16 requests costs one bad log-on more than were under way, and one after that",
        arguments: Habit.all.filter { !$0.isPair }
    )
    func changedUnderLoad(habit: Habit) throws {
        let (world, server) = (try NonceWorld(), habit.servers(.origin)[0])
        for target in ["/a", "/b"] { #expect(try world.run(server, target).outcome == .accepted) }
        server.knowsPassword = false
        let outcomes = try world.runAtOnce(16, server)
        #expect(outcomes.count == 16 && outcomes.allSatisfy { $0 != .accepted })
        #expect(server.badLogOns <= 16 + 1, "\(server.badLogOns) bad log-ons")
        for target in ["/x", "/y", "/z"] { #expect(try world.run(server, target).outcome != .accepted) }
        #expect(server.badLogOns <= 16 + 2, "\(server.badLogOns) bad log-ons")
    }
}
