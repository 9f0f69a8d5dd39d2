import HTTPAuthentication
import TestSupport
import Testing

@testable import RequestFlow

/// Drives flows through random orders of events.
///
/// `SALLYPORT_FLOWS` sets the number of worlds: 1,000,000 in `.ci/slow`. A world that breaks a rule prints what happened in it.
@Suite struct FlowSimulationTests {
    static let worlds = Effort.count("SALLYPORT_FLOWS", usual: 10_000)
    /// Requests of one world.
    static let requests = 5

    static let settings: [FlowWorld.Setting] = {
        let schemes: [[AuthenticationScheme]] = [[.basic], [.digest], [.ntlm], [.ntlm, .digest, .basic]]
        return schemes.flatMap { schemes in
            [false, true].map { FlowWorld.Setting(schemes: schemes, hasProxy: $0) }
        }
    }()

    /// Runs a share of all worlds, and checks each.
    private func check(_ setting: FlowWorld.Setting, _ share: Int, _ problem: (FlowWorld) -> String?) throws {
        let compiled = try FlowProfile.compiled(setting.schemes)
        for seed in 0..<UInt64(max(1, Self.worlds / share)) {
            var world = try FlowWorld(setting, compiled, seed: seed)
            world.run(Self.requests)
            guard let what = world.violations.first ?? problem(world) else { continue }
            var again = try FlowWorld(setting, compiled, seed: seed, isTraced: true)
            again.run(Self.requests)
            Issue.record("seed \(seed): \(what)\n\(again.trace?.joined(separator: "\n") ?? "")")
            return
        }
    }

    @Test("A right password brings every request to its end", arguments: settings)
    func right(_ setting: FlowWorld.Setting) throws {
        try check(setting, 32) { world in
            world.results.first { !$0.hasPrefix("200") }
        }
    }

    @Test("Callers that leave before their answers have left cost the others nothing", arguments: settings)
    func unsent(_ setting: FlowWorld.Setting) throws {
        var setting = setting
        setting.leaves = .unsent
        try check(setting, 32) { world in
            world.results.first { !$0.hasPrefix("200") }
        }
    }

    @Test(
        "Whatever is lost, no body goes twice, no answer on another connection, and each request ends",
        arguments: settings
    )
    func losses(_ setting: FlowWorld.Setting) throws {
        var setting = setting
        (setting.loses, setting.leaves) = (true, .atAnyTime)
        try check(setting, 16) { _ in nil }
    }

    @Test("A wrong password costs two bad log-ons, whatever is lost", arguments: settings)
    func wrong(_ setting: FlowWorld.Setting) throws {
        var setting = setting
        (setting.isRight, setting.loses, setting.leaves) = (false, true, .atAnyTime)
        try check(setting, 32) { world in
            world.badLogOns <= 2 ? nil : "\(world.badLogOns) bad log-ons"
        }
    }

    @Test(
        "A relay that sends an answer without a flow does, and learns, what it does with flows",
        arguments: [[AuthenticationScheme.basic], [.digest], [.digest, .basic]],
        [FlowWorld.Setting.Leaving.never, .unsent, .atAnyTime]
    )
    func answersAlone(_ schemes: [AuthenticationScheme], _ leaves: FlowWorld.Setting.Leaving) throws {
        let compiled = try FlowProfile.compiled(schemes)
        var alone = 0
        for (isRight, loses) in [(true, false), (true, true), (false, true)] {
            var setting = FlowWorld.Setting(schemes: schemes, hasProxy: true, relays: .withFlows, isRight: isRight)
            (setting.loses, setting.leaves) = (loses, leaves)
            for seed in 0..<UInt64(max(1, Self.worlds / 64)) {
                var twin = try FlowWorld(setting, compiled, seed: seed, isTraced: true)
                twin.run(Self.requests)
                setting.relays = .withAnswers
                var world = try FlowWorld(setting, compiled, seed: seed, isTraced: true)
                world.run(Self.requests)
                setting.relays = .withFlows
                alone += world.answersAlone
                guard world.trace != twin.trace || !world.violations.isEmpty else { continue }
                let both = Array(zip(world.trace ?? [], twin.trace ?? []))
                let first = both.firstIndex { $0 != $1 } ?? both.count
                let until = both[..<first].map(\.0).joined(separator: "\n")
                let differ = first < both.count ? "\(both[first].0)\n\(both[first].1)" : "one ends"
                Issue.record("seed \(seed), \(world.violations):\n\(until)\nalone, and with a flow:\n\(differ)")
                return
            }
        }
        #expect(alone > 100)
    }

    @Test("A wrong password costs two bad log-ons where nothing is lost", arguments: settings)
    func wrongWithoutLosses(_ setting: FlowWorld.Setting) throws {
        var setting = setting
        setting.isRight = false
        try check(setting, 32) { world in
            world.badLogOns <= 2 ? nil : "\(world.badLogOns) bad log-ons"
        }
    }
}
