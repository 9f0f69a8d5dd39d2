import Sallyport
import TestSupport
import Testing

@testable import ChallengeHandling

/// Drives the rules through random orders of events in a model of servers and a directory.
///
/// `SALLYPORT_INTERLEAVINGS` sets the number of orders: 1,000,000 in `.ci/slow`.
@Suite struct InterleavingTests {
    static let count = Effort.count("SALLYPORT_INTERLEAVINGS", usual: 8_000)
    static let steps = 60

    /// Runs a share of all interleavings in the setting, and checks each.
    func check(_ setting: LockoutWorld.Setting, _ check: (LockoutWorld) -> String?) {
        for seed in 0..<UInt64(Self.count / 8) {
            var world = LockoutWorld(setting: setting, seed: seed)
            guard world.run(steps: Self.steps) else {
                Issue.record("seed \(seed): a request waits for ever")
                return
            }
            if let problem = check(world) {
                Issue.record("seed \(seed): \(problem)")
                return
            }
        }
    }

    @Test(
        "A wrong password costs two bad log-ons in the directory, whatever the order and whatever is lost",
        arguments: [false, true]
    )
    func wrongPassword(stalls: Bool) {
        check(LockoutWorld.Setting(isShared: true, isRightAtFirst: false, stalls: stalls)) { world in
            world.mostBadLogOns <= 2 ? nil : "\(world.mostBadLogOns) bad log-ons"
        }
    }

    @Test("Without a domain a wrong password costs one bad log-on a place", arguments: [false, true])
    func wrongLocalPassword(stalls: Bool) {
        check(LockoutWorld.Setting(isShared: false, isRightAtFirst: false, stalls: stalls)) { world in
            let most = world.badLogOnsAtPlace.max() ?? 0
            return most <= 1 + world.givenUp ? nil : "\(most) bad log-ons at one place"
        }
    }

    @Test("A password that changes in a quiet time costs two bad log-ons") func quietChange() {
        check(LockoutWorld.Setting(isShared: true, isRightAtFirst: true, change: .inQuietTime)) { world in
            world.mostBadLogOns <= 2 ? nil : "\(world.mostBadLogOns) bad log-ons"
        }
    }

    @Test("A password that changes under load costs one bad log-on after the first refusal is known")
    func changeUnderLoad() {
        check(LockoutWorld.Setting(isShared: true, isRightAtFirst: true, change: .atAnyTime)) { world in
            world.badLogOnsAfterRefusal <= 1
                ? nil : "\(world.badLogOnsAfterRefusal) bad log-ons after the first refusal"
        }
    }

    @Test("One at a time, a password that changes under load costs two bad log-ons in all", arguments: [false, true])
    func oneAtATime(stalls: Bool) {
        let setting = LockoutWorld.Setting(
            isShared: true,
            isRightAtFirst: true,
            change: .atAnyTime,
            stalls: stalls,
            isOneAtATime: true
        )
        check(setting) { world in
            let bound = 2 + world.givenUp
            return world.mostBadLogOns <= bound ? nil : "\(world.mostBadLogOns) bad log-ons, \(bound) are allowed"
        }
    }

    @Test(
        "A right password is sent everywhere but to the page that refuses it",
        arguments: [(false, false), (true, false), (true, true)]
    )
    func authorised(isShared: Bool, isOneAtATime: Bool) {
        let setting = LockoutWorld.Setting(
            isShared: isShared,
            isRightAtFirst: true,
            hasForbiddenPage: true,
            isOneAtATime: isOneAtATime
        )
        check(setting) { world in
            world.wronglyTurnedAway == 0 ? nil : "\(world.wronglyTurnedAway) requests were turned away"
        }
    }

    @Test("Where nonces are lost without a word, a password that changes in a quiet time costs two bad log-ons")
    func lostNoncesQuietChange() {
        let setting = LockoutWorld.Setting(
            isShared: true,
            isRightAtFirst: true,
            change: .inQuietTime,
            losesNonces: true
        )
        check(setting) { $0.mostBadLogOns <= 2 ? nil : "\($0.mostBadLogOns) bad log-ons" }
    }

    @Test("Where nonces are lost without a word, a change under load costs two bad log-ons after the first refusal")
    func lostNoncesUnderLoad() {
        let setting = LockoutWorld.Setting(isShared: true, isRightAtFirst: true, change: .atAnyTime, losesNonces: true)
        check(setting) { world in
            world.badLogOnsAfterRefusal <= 2
                ? nil : "\(world.badLogOnsAfterRefusal) bad log-ons after the first refusal"
        }
    }

    @Test("Where nonces are lost without a word, a right password is turned away nowhere", arguments: [false, true])
    func lostNonces(isShared: Bool) {
        check(LockoutWorld.Setting(isShared: isShared, isRightAtFirst: true, losesNonces: true)) { world in
            world.wronglyTurnedAway == 0 ? nil : "\(world.wronglyTurnedAway) requests were turned away"
        }
    }

    @Test("Every request ends, also when servers hang") func hanging() {
        let setting = LockoutWorld.Setting(
            isShared: true,
            isRightAtFirst: true,
            change: .atAnyTime,
            hasForbiddenPage: true,
            stalls: true
        )
        check(setting) { $0.mostAsked < 200 ? nil : "one request asked \($0.mostAsked) times" }
    }
}
