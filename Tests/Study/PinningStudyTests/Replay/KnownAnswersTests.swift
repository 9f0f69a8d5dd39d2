import PinningStudy
import SPKIPins
import Testing

/// Every expected number here was worked out by hand from the table at ``ThreeHosts``.
@Suite struct KnownAnswersTests {
    private func report(
        _ strategies: [PinningStrategy] = PinningStrategy.builtIn,
        _ change: (inout StudyParameters) -> Void = { _ in }
    ) throws -> StudyReport {
        var parameters = StudyParameters()
        parameters.curve = .immediate
        parameters.latencyRounds = 0
        parameters.resamplings = 50
        change(&parameters)
        let history = try ChainHistory(ThreeHosts().load())
        return StudyReport(Study(history, strategies: strategies, parameters: parameters))
    }

    private func strategy(_ name: String, in report: StudyReport) throws -> StrategyReport {
        try #require(report.strategies.first { $0.name == name })
    }

    @Test func whatWasStudied() throws {
        let recording = try report().recording
        #expect([recording.hosts, recording.captures, recording.impostors] == [3, 8, 2])
        #expect(recording.authorities == 5)
        // Gaps: 20, 20 at a; 10, 30 at b; 20 at c.
        #expect(recording.medianGapDays == 20)
        #expect(recording.widestGapDays == 30)
    }

    @Test("Leaf key: a dies in (0, 20], b in (10, 40] and (0, 30], the others live to the end")
    func leafKeySurvival() throws {
        let survival = try strategy("leaf-key", in: report()).survival
        #expect([survival.starts, survival.failures] == [8, 3])
        // Late, ends: 0 (cut, twice: a's and b's last), 0 (cut, c's last), 20 dead (a), 20 cut (a, c), 30 dead (b), 40 dead (b).
        // At risk at 20: 5; at 30: 2; at 40: 1.
        #expect(survival.late.steps.map(\.days) == [20, 30, 40])
        #expect(close(survival.late.steps.map(\.survival), [0.8, 0.4, 0]))
        #expect(survival.late.median == 30)
        // 20 * 1 + 10 * 0.8 + 10 * 0.4.
        #expect(close([survival.late.restrictedMean], [32]))
        // Early, ends: 0 dead (a, b), 0 cut three times, 10 dead (b), 20 cut twice. At risk at 0: 8; at 10: 3.
        #expect(survival.early.steps.map(\.days) == [0, 10])
        #expect(close(survival.early.steps.map(\.survival), [0.75, 0.5]))
        #expect(survival.early.median == 10)
    }

    @Test func outages() throws {
        let report = try report()
        let certificate = try strategy("leaf-certificate", in: report).outages
        // a: 1 to 2; b: 3 to 4 and 4 to 5.
        #expect(certificate.count == 3)
        #expect([certificate.hosts.count, certificate.hosts.total] == [2, 3])
        let key = try strategy("leaf-key", in: report).outages
        #expect(key.count == 2)
        let issuer = try strategy("issuer-key", in: report).outages
        #expect(issuer.count == 1)
        #expect(issuer.hosts.ruleOfThree == nil)
        let root = try strategy("root-key", in: report).outages
        #expect(root.count == 0)
        #expect(root.hosts.ruleOfThree == 1)
        // Pins follow one day after a change was seen. At a: late, days 20 to 21; early, days 0 to 21.
        // At b, the change on day 40 is the end: late, nothing; early, days 10 to 40.
        #expect(close([key.hostDays.late, key.hostDays.early], [1, 51]))
        #expect(close([key.observedHostDays], [100]))
        // An average of three hosts, in days a year: a has 1 of 40, b none, c none.
        #expect(close([key.userDaysPerHostYear.late], [3.041_666_666_666_667]))
        // All users have new pins at once, so user-days equal host-days.
        #expect(key.userDays == key.hostDays)
    }

    @Test("Every day, half of the users without the new pins get them")
    func slowUsers() throws {
        let report = try report { $0.curve = .exponential(halfLifeDays: 1) }
        let key = try strategy("leaf-key", in: report).outages
        // At a, day 20 to 21 everybody, then the sum of 2^-t from 0 to 19 days: (1 - 2^-19) / ln 2.
        let tail: Double = (1 - 1.0 / 524_288) / 0.693_147_180_559_945_3
        #expect(close([key.userDays.late], [1 + tail]))
        #expect(close([key.hostDays.late], [1]))
    }

    @Test("A leak on day 15: new pins on day 21, or none before the recording ends on day 40")
    func leaks() throws {
        let report = try report()
        let key = try #require(strategy("leaf-key", in: report).exposure.leaks)
        #expect([key.count, key.hosts, key.closedByPins] == [1, 1, 1])
        #expect(close([key.meanWindowDays, key.longestWindowDays, key.meanUserDays], [6, 6, 6]))
        let issuer = try #require(strategy("issuer-key", in: report).exposure.leaks)
        #expect([issuer.count, issuer.closedByPins] == [1, 0])
        #expect(close([issuer.meanWindowDays], [25]))
        // Until day 21 the pins of all users accept the key, then a share of 2^-t, for 19 days.
        let slow = try self.report { $0.curve = .exponential(halfLifeDays: 1) }
        let users = try #require(strategy("leaf-key", in: slow).exposure.leaks).meanUserDays
        #expect(close([users], [6 + (1 - 1.0 / 524_288) / 0.693_147_180_559_945_3]))
    }

    @Test func exposure() throws {
        let report = try report()
        // Only the host's own key.
        let leaf = try strategy("leaf-key", in: report).exposure
        #expect(close([leaf.keys, leaf.authorities, leaf.organisations], [1, 0, 0]))
        #expect(leaf.impostors["rogue"]?.accepted == 0)
        #expect(leaf.impostors["rogue"]?.hosts.ruleOfThree == 1)
        // And one issuer's: X at a, Y at b and c.
        let issuer = try strategy("issuer-key", in: report).exposure
        #expect(close([issuer.keys, issuer.authorities, issuer.organisations], [2, 1, 1]))
        // b's pins on day 35 are X: the chain that X should not have signed gets in, until Y is pinned on day 41.
        let impostors = try #require(issuer.impostors["mis-issued"])
        #expect([impostors.seen, impostors.accepted, impostors.neverClosed] == [1, 1, 0])
        #expect(impostors.meanOpenDays == 6)
        // R is above X and Y: own key, R, X, Y, of two organisations.
        let root = try strategy("root-key", in: report).exposure
        #expect(close([root.keys, root.authorities, root.organisations], [4, 3, 2]))
        #expect(root.impostors["mis-issued"]?.neverClosed == 1)
        #expect(root.impostors["mis-issued"]?.meanOpenDays == 5)
    }

    @Test("Organisation One has keys X and R, Two has Y, as known at each time")
    func organisation() throws {
        let report = try strategy("organisation", in: report())
        // a: X and R. b at last: Y. c: Y.
        #expect(close([report.cost.pins], [1.333_333_333_333_333]))
        // b changes from One to Two, and R, a key of One, is still above: no outage.
        #expect(report.outages.count == 0)
        #expect(report.survival.failures == 0)
    }

    @Test func theFrontHoldsWhatNothingBeats() throws {
        // Days a year locked out, keys: leaf-certificate 3.04 and 3.65, 1; leaf-key 3.04, 1; issuer 0 (b's comes at the end), 2.
        let front = try report().strategies.filter(\.isOnFront).map(\.name)
        #expect(front == ["leaf-key", "leaf-key+next", "issuer-key"])
    }

    @Test("Every two weeks: pins of days 0, 14, 28 and so on")
    func grid() throws {
        let survival = try strategy("leaf-key", in: report { $0.starts = .grid(days: 14) }).survival
        // a: 0, 14, 28; b: the same; c: 0, 14. Dead: a's at 20 and 6; b's at 40, 26 and 12.
        #expect([survival.starts, survival.failures] == [8, 5])
        #expect(survival.late.steps.map(\.days) == [6, 12, 20, 26, 40])
    }

    @Test func aPolicyOfOnesOwnStaysAsItIs() throws {
        let pins = try ["1", "2"].map { try PositionedPin(Pin(parsing: ThreeHosts.pin($0)), at: .leaf) }
        let policy = try PinPolicy(
            compiling: [PinPolicy.Entry(host: "a", pins: pins, backup: .amongPins, expiry: nil)],
            version: 1,
            at: 0
        )
        let report = try strategy("policy", in: report([PinningStrategy(policy: policy)]))
        #expect(report.outages.count == 0)
        // Hosts without an entry are not pinned: all five authorities' keys. At a: keys 1 and 2.
        #expect(report.exposure.keys == 4)
        #expect(report.exposure.impostors["mis-issued"]?.accepted == 1)
        #expect(report.exposure.impostors["rogue"]?.accepted == 0)
    }

    private func close(_ found: [Double], _ expected: [Double]) -> Bool {
        found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) <= 1e-9 }
    }
}
