internal import Algorithms
internal import Corpora
internal import Histogram

extension StudyReport {
    /// Outages that differ by less than this are equal.
    static let tieDays = 1e-9

    /// Computes the statistics of a study's records.
    ///
    /// - Parameters:
    ///   - study: the records.
    ///   - progress: called after each strategy.
    /// - Complexity: O(lives · (1 + resamplings)).
    public init(_ study: Study, progress: () -> Void = {}) {
        let parameters = study.parameters
        let hostCount = study.strategies.first?.hosts.count ?? 0
        let resampling = Resampling(hosts: hostCount, count: parameters.resamplings, seed: parameters.seed)
        let strategies = Self.markFront(
            study.strategies.map { strategy in
                defer { progress() }
                return StrategyReport(strategy, resampling)
            }
        )
        let comparisons = study.strategies.combinations(ofCount: 2).map { Comparison($0[0], $0[1], resampling) }
        self.parameters = Parameters(parameters)
        recording = study.recording
        hosts = hostCount
        self.strategies = strategies
        self.comparisons = comparisons
        advice = Advice.text(study.recording, strategies, comparisons)
    }

    /// Marks the strategies on the Pareto front of outage and exposure.
    private static func markFront(_ strategies: [StrategyReport]) -> [StrategyReport] {
        strategies.map { strategy in
            var marked = strategy
            marked.isOnFront = !strategies.contains { $0.dominates(strategy) }
            return marked
        }
    }
}

extension StrategyReport {
    init(_ strategy: StudiedStrategy, _ resampling: Resampling) {
        let hosts = strategy.hosts
        name = strategy.name
        summary = strategy.summary
        let lives = hosts.map(\.lives)
        survival = Survival(
            starts: lives.reduce(0) { $0 + $1.count },
            failures: lives.reduce(0) { $0 + $1.count { $0.dead != nil } },
            early: Estimate(KaplanMeier(lives, late: false), resampling),
            late: Estimate(KaplanMeier(lives, late: true), resampling)
        )
        outages = Outages(hosts, resampling)
        exposure = ExposureReport(hosts, resampling)
        cost = Cost(hosts)
        isOnFront = false
    }

    /// Whether this strategy is better in outage or exposure, and at least as good in the other.
    func dominates(_ other: StrategyReport) -> Bool {
        let (mine, theirs) = (outages.userDaysPerHostYear.late, other.outages.userDaysPerHostYear.late)
        let tie = StudyReport.tieDays
        guard mine <= theirs + tie, exposure.keys <= other.exposure.keys else { return false }
        return mine < theirs - tie || exposure.keys < other.exposure.keys
    }
}

extension StrategyReport.Estimate {
    init(_ estimate: KaplanMeier, _ resampling: Resampling) {
        let horizon = StudyParameters.horizonDays
        let grid = StudyReport.gridDays
        let whole = estimate.summary(at: grid, horizon: horizon)
        let draws = resampling.weights.map { estimate.summary(weights: $0, at: grid, horizon: horizon) }
        steps = estimate.steps()
        median = whole.median
        medianBand = Resampling.band(draws.map { $0.median ?? .infinity })
        restrictedMean = whole.restrictedMean
        restrictedMeanBand = Resampling.band(draws.map(\.restrictedMean))
        bands = grid.indices.compactMap { index in Resampling.band(draws.map { $0.survival[index] }) }
    }
}

extension HostRecord {
    /// Days out of a year that an average user is locked out; 0 for a host that was seen only once.
    fileprivate var userDaysPerYear: Bounds {
        guard observedDays > 0 else { return Bounds(early: 0, late: 0) }
        let year = 365 / observedDays
        return Bounds(early: userDays.early * year, late: userDays.late * year)
    }
}

/// The mean; 0 for an empty array.
private func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
}

extension StrategyReport.Outages {
    init(_ hosts: [HostRecord], _ resampling: Resampling) {
        let yearly = hosts.map(\.userDaysPerYear)
        count = hosts.reduce(0) { $0 + $1.outages }
        self.hosts = Proportion(hosts.count { $0.outages > 0 }, of: hosts.count)
        observedHostDays = hosts.reduce(0) { $0 + $1.observedDays }
        hostDays = Bounds(
            early: hosts.reduce(0) { $0 + $1.hostDays.early },
            late: hosts.reduce(0) { $0 + $1.hostDays.late }
        )
        userDays = Bounds(
            early: hosts.reduce(0) { $0 + $1.userDays.early },
            late: hosts.reduce(0) { $0 + $1.userDays.late }
        )
        userDaysPerHostYear = Bounds(early: mean(yearly.map(\.early)), late: mean(yearly.map(\.late)))
        userDaysPerHostYearBand = resampling.meanBand(yearly.map(\.late))
    }
}

extension StrategyReport.ExposureReport {
    init(_ hosts: [HostRecord], _ resampling: Resampling) {
        keys = mean(hosts.map { Double($0.exposure.keys) })
        keysBand = resampling.meanBand(hosts.map { Double($0.exposure.keys) })
        authorities = mean(hosts.map { Double($0.exposure.authorities) })
        organisations = mean(hosts.map { Double($0.exposure.organisations) })
        mostKeys = hosts.map(\.exposure.keys).max() ?? 0
        var impostors: [String: StrategyReport.Impostors] = [:]
        for label in ChainLabel.allCases where label != .genuine {
            let seen = hosts.map { $0.impostors.filter { $0.label == label } }.filter { !$0.isEmpty }
            let accepted = seen.flatMap { $0.filter(\.accepted) }
            impostors[label.rawValue] = StrategyReport.Impostors(
                seen: seen.reduce(0) { $0 + $1.count },
                accepted: accepted.count,
                hosts: Proportion(seen.count { $0.contains(where: \.accepted) }, of: seen.count),
                meanOpenDays: accepted.isEmpty ? nil : mean(accepted.map(\.openDays)),
                neverClosed: accepted.count { !$0.isClosed }
            )
        }
        self.impostors = impostors
        let lost = hosts.filter { !$0.leaks.isEmpty }
        leaks = lost.isEmpty ? nil : StrategyReport.Leaks(lost.flatMap(\.leaks), hosts: lost.count)
    }
}

extension StrategyReport.Leaks {
    init(_ leaks: [LeakRecord], hosts: Int) {
        count = leaks.count
        self.hosts = hosts
        closedByPins = leaks.count(where: \.isClosed)
        meanWindowDays = mean(leaks.map(\.windowDays))
        longestWindowDays = leaks.map(\.windowDays).max() ?? 0
        meanUserDays = mean(leaks.map(\.userDays))
    }
}

extension StrategyReport.Cost {
    init(_ hosts: [HostRecord]) {
        pins = mean(hosts.map { Double($0.pins) })
        mostPins = hosts.map(\.mostPins).max() ?? 0
        bytes = hosts.reduce(0) { $0 + $1.bytes }
        let histogram = DecisionLatency.sum(hosts.flatMap(\.latencies))
        guard histogram.totalCount > 0 else {
            latencyNanoseconds = [:]
            return
        }
        var values = ["count": histogram.totalCount, "max": histogram.max]
        for (name, percentile) in [("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9)] {
            values[name] = histogram.valueAtPercentile(percentile)
        }
        latencyNanoseconds = values
    }
}

extension Comparison {
    init(_ one: StudiedStrategy, _ other: StudiedStrategy, _ resampling: Resampling) {
        let differences = zip(one.hosts, other.hosts).map { $0.userDaysPerYear.late - $1.userDaysPerYear.late }
        self.one = one.name
        self.other = other.name
        userDaysPerHostYear = mean(differences)
        band = resampling.meanBand(differences)
        // Equal sums of different terms may differ by rounding, so a very small difference is a tie.
        worse = differences.count { $0 > StudyReport.tieDays }
        better = differences.count { $0 < -StudyReport.tieDays }
        signTest = SignTest.probability(positive: worse, negative: better)
    }
}

extension StudyReport.Parameters {
    init(_ parameters: StudyParameters) {
        switch parameters.curve {
        case .immediate: (curve, halfLifeDays, points) = ("immediate", nil, nil)
        case .exponential(let halfLife): (curve, halfLifeDays, points) = ("exponential", halfLife, nil)
        case .points(let all): (curve, halfLifeDays, points) = ("points", nil, all)
        }
        reactionDays = parameters.reactionDays
        switch parameters.starts {
        case .everyCapture: (starts, gridDays) = ("every capture", nil)
        case .grid(let days): (starts, gridDays) = (days == 1 ? "every day" : "every \(days) days", days)
        }
        resamplings = parameters.resamplings
        seed = parameters.seed
        latencyRounds = parameters.latencyRounds
        horizonDays = StudyParameters.horizonDays
        confidence = StudyParameters.confidence
    }

    /// The options that these values describe; `nil` for values that no study writes.
    var parameters: StudyParameters? {
        var parameters = StudyParameters()
        switch (curve, halfLifeDays, points) {
        case ("immediate", nil, nil): parameters.curve = .immediate
        case ("exponential", let halfLife?, nil) where halfLife > 0 && halfLife.isFinite:
            parameters.curve = .exponential(halfLifeDays: halfLife)
        case ("points", nil, let points?) where points.count <= UpdateCurve.mostPoints:
            parameters.curve = .points(points)
        default: return nil
        }
        if let gridDays {
            guard gridDays > 0 else { return nil }
            parameters.starts = .grid(days: gridDays)
        }
        guard reactionDays >= 0, reactionDays.isFinite else { return nil }
        guard (0...StudyParameters.mostResamplings).contains(resamplings), latencyRounds >= 0 else { return nil }
        parameters.reactionDays = reactionDays
        parameters.resamplings = resamplings
        parameters.seed = seed
        parameters.latencyRounds = latencyRounds
        return parameters
    }
}
