internal import Corpora

/// The result of replaying strategies over a history.
public struct Study: Sendable {
    /// The options of the study.
    public let parameters: StudyParameters
    let recording: StudiedRecording
    let strategies: [StudiedStrategy]

    /// How many strategies were replayed.
    public var strategyCount: Int { strategies.count }

    init(parameters: StudyParameters, recording: StudiedRecording, strategies: [StudiedStrategy]) {
        self.parameters = parameters
        self.recording = recording
        self.strategies = strategies
    }

    /// Replays every strategy at every host of a part of the history.
    ///
    /// - Parameters:
    ///   - history: the recording, grouped by host.
    ///   - strategies: the strategies to replay, with unique names.
    ///   - parameters: the options.
    ///   - part: which part of the hosts to replay, from 1; strategies still see the history of all hosts.
    ///   - progress: called with a number of finished hosts; each host counts twice per strategy, once replayed and
    ///     once timed.
    /// - Complexity: strategies are replayed in parallel, one thread per processor. Latencies are measured afterwards
    ///   on one thread.
    /// - Precondition: `strategies` is not empty, and its names are unique.
    public init(
        _ history: ChainHistory,
        strategies: [PinningStrategy] = PinningStrategy.builtIn,
        parameters: StudyParameters = StudyParameters(),
        part: (number: Int, of: Int) = (1, 1),
        progress: (Int) -> Void = { _ in }
    ) {
        precondition(!strategies.isEmpty && Set(strategies.map(\.name)).count == strategies.count)
        self.parameters = parameters
        recording = StudiedRecording(history)
        let hosts = history.hosts.indices.filter { $0 % part.of == part.number - 1 }
        let served = hosts.map { ServedChains(history.hosts[$0].captures) }
        let replayed = SideBySide.map(strategies, progress: { progress(hosts.count) }) { strategy in
            zip(hosts, served).map { host, served in
                let replay = HostReplay(history, host: host, served, strategy: strategy, parameters: parameters)
                return (replay.record(), replay.lastPins)
            }
        }
        self.strategies = zip(strategies, replayed).map { strategy, replayed in
            let records = zip(hosts, replayed).map { host, replayed in
                defer { progress(1) }
                var (record, lastPins) = replayed
                guard let latency = DecisionLatency(lastPins, history) else { return record }
                record.bytes = latency.bytes
                let chains = history.hosts[host].captures.map(\.chain)
                record.latencies = latency.measure(chains, rounds: parameters.latencyRounds)
                return record
            }
            return StudiedStrategy(name: strategy.name, summary: strategy.summary, hosts: records)
        }
    }
}

/// A strategy's records, in the order of the history's hosts.
struct StudiedStrategy: Codable, Equatable, Sendable {
    let name: String
    let summary: String
    var hosts: [HostRecord]
}

/// The facts about the recording in a report.
public struct StudiedRecording: Codable, Equatable, Sendable {
    /// The name that the recording states.
    public let name: String
    /// The origin that the recording states.
    public let origin: String
    /// The meaning of its times, as the recording states it.
    public let timeMeaning: String
    /// Hosts with a genuine chain.
    public let hosts: Int
    /// Genuine captures.
    public let captures: Int
    /// Certificates.
    public let certificates: Int
    /// Keys of authorities in its chains.
    public let authorities: Int
    /// Chains of impostors.
    public let impostors: Int
    /// Observations without a validated chain; the study ignores them.
    public let unvalidated: Int
    /// How many of them the recorder could not judge, because it does not verify such signatures.
    public let unjudged: Int
    /// Servers without any validated chain, which are in no number of the study.
    public let unstudiedHosts: Int
    /// The first of them by name.
    public let namedUnstudiedHosts: [String]
    /// Observations that repeat another one; each counts once.
    public let repeated: Int
    /// The first capture, in seconds since 1970.
    public let first: Int64
    /// The last capture, in seconds since 1970.
    public let last: Int64
    /// The median number of days between two captures of a host; a change can be dated only to such a gap.
    public let medianGapDays: Double
    /// The widest such gap.
    public let widestGapDays: Double
    /// The changes of each host, in the order of their names.
    public let timelines: [HostTimeline]

    /// The most hosts that are named where only their number matters.
    static let mostNamedHosts = 5

    init(_ history: ChainHistory) {
        let captures = history.hosts.flatMap(\.captures)
        name = history.recording.name
        origin = history.recording.origin
        timeMeaning = history.recording.timeMeaning
        hosts = history.hosts.count
        self.captures = captures.count
        certificates = history.recording.certificates.count
        authorities = history.authorities.all.count
        impostors = history.hosts.reduce(0) { $0 + $1.impostors.count }
        unvalidated = history.unvalidated
        unjudged = history.unjudged
        unstudiedHosts = history.unstudied.count
        namedUnstudiedHosts = history.unstudied.prefix(Self.mostNamedHosts).map(\.description)
        repeated = history.recording.repeatedObservations
        first = captures.map(\.first).min() ?? 0
        last = captures.map(\.last).max() ?? 0
        var gaps: [Double] = []
        for host in history.hosts {
            for (earlier, later) in zip(host.captures, host.captures.dropFirst()) {
                gaps.append(Double(max(0, later.first - earlier.last)) / 86_400)
            }
        }
        gaps.sort()
        medianGapDays = gaps.isEmpty ? 0 : gaps[gaps.count / 2]
        widestGapDays = gaps.last ?? 0
        timelines = history.hosts.map { HostTimeline($0, history.chains) }
    }
}
