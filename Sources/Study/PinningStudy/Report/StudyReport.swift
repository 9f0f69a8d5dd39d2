/// The statistics of a study.
public struct StudyReport: Codable, Equatable, Sendable {
    /// The options of the study.
    public let parameters: Parameters
    /// Facts about the recording.
    public let recording: StudiedRecording
    /// The number of hosts in the records; less than the recording's for a part.
    public let hosts: Int
    /// The strategies in the order in which they were given.
    public let strategies: [StrategyReport]
    /// Comparisons of each pair of strategies, host by host.
    public let comparisons: [Comparison]
    /// A recommendation as a paragraph.
    public let advice: String

    /// ``StudyParameters`` as a report prints them.
    public struct Parameters: Codable, Equatable, Sendable {
        /// `immediate`, `exponential` or `points`.
        public let curve: String
        /// The half-life of an exponential curve.
        public let halfLifeDays: Double?
        /// The points of a curve of points.
        public let points: [UpdateCurve.Point]?
        /// Days from seeing a new chain to shipping pins for it.
        public let reactionDays: Double
        /// `every capture`, or `every N days`.
        public let starts: String
        /// Days between starts, on a grid.
        public let gridDays: Int?
        /// The number of resamplings for each band.
        public let resamplings: Int
        /// The seed of the resamplings.
        public let seed: UInt64
        /// How often each decision is timed.
        public let latencyRounds: Int
        /// The horizon of restricted means, in days.
        public let horizonDays: Double
        /// The confidence of bands.
        public let confidence: Double
    }
}

/// The statistics of one strategy.
public struct StrategyReport: Codable, Equatable, Sendable {
    /// The strategy.
    public let name: String
    /// What the strategy pins.
    public let summary: String
    /// How long pins matched.
    public let survival: Survival
    /// Outages of users.
    public let outages: Outages
    /// Parties that could impersonate a host.
    public let exposure: ExposureReport
    /// Its size and speed.
    public let cost: Cost
    /// Whether no other strategy has both fewer user-days of outage and fewer keys that could impersonate a host.
    public var isOnFront: Bool

    /// How long pins matched, in days.
    public struct Survival: Codable, Equatable, Sendable {
        /// The number of shipments that were followed.
        public let starts: Int
        /// How many of them failed within the recording.
        public let failures: Int
        /// The estimate if every change came at the earliest possible time.
        public let early: Estimate
        /// The estimate if every change came at the latest possible time.
        public let late: Estimate
    }

    /// A survival curve and its summary; bands come from resampling hosts.
    public struct Estimate: Codable, Equatable, Sendable {
        /// The whole curve, which starts at 1.
        public let steps: [KaplanMeier.Step]
        /// The first day on which at most half matched; `nil` if more than half matched to the end.
        public let median: Double?
        /// The band of the median; a missing end was not reached within the recording.
        public let medianBand: Band?
        /// The mean life up to 365 days.
        public let restrictedMean: Double
        /// The band of the restricted mean.
        public let restrictedMeanBand: Band?
        /// The bands at ``StudyReport/gridDays``.
        public let bands: [Band]
    }

    /// Outages of users.
    public struct Outages: Codable, Equatable, Sendable {
        /// Changes of chain that the pins shipped before the change refused.
        public let count: Int
        /// Hosts with such a change.
        public let hosts: Proportion
        /// Days of all hosts together.
        public let observedHostDays: Double
        /// Days of all hosts together during which the newest pins refused the host.
        public let hostDays: Bounds
        /// Days of all hosts together that an average user was locked out.
        public let userDays: Bounds
        /// The mean of all hosts: days out of a year that an average user is locked out of a host.
        public let userDaysPerHostYear: Bounds
        /// The band of `userDaysPerHostYear.late`.
        public let userDaysPerHostYearBand: Band?
    }

    /// Parties that could impersonate a host.
    public struct ExposureReport: Codable, Equatable, Sendable {
        /// The mean of all hosts.
        public let keys: Double
        /// The band of the mean number of keys.
        public let keysBand: Band?
        /// The mean of all hosts.
        public let authorities: Double
        /// The mean of all hosts.
        public let organisations: Double
        /// The number of keys of the host with the most.
        public let mostKeys: Int
        /// Impostors' chains by label.
        public let impostors: [String: Impostors]
        /// Leaked keys of hosts; `nil` if the recording contains none.
        public let leaks: Leaks?
    }

    /// Leaked keys. A leak is open until pins refuse the thief's chain, its certificate expires or the recording ends.
    public struct Leaks: Codable, Equatable, Sendable {
        /// The number of leaks at all hosts.
        public let count: Int
        /// The number of hosts with a leak.
        public let hosts: Int
        /// How many leaks pins ended before the certificate expired.
        public let closedByPins: Int
        /// The mean number of days during which the newest pins accepted the chain.
        public let meanWindowDays: Double
        /// The largest number of days during which the newest pins accepted the chain.
        public let longestWindowDays: Double
        /// The mean number of days during which an average user's pins accepted it.
        public let meanUserDays: Double
    }

    /// Impostors' chains of one label.
    public struct Impostors: Codable, Equatable, Sendable {
        /// The number of chains in the recording.
        public let seen: Int
        /// How many of them the pins of that time accepted.
        public let accepted: Int
        /// Hosts whose pins accepted such a chain, among hosts that saw one.
        public let hosts: Proportion
        /// The mean number of days from an accepted chain to pins that refuse it; `nil` if every chain was refused.
        public let meanOpenDays: Double?
        /// How many were accepted to the recording's end.
        public let neverClosed: Int
    }

    /// Its size and speed.
    public struct Cost: Codable, Equatable, Sendable {
        /// Pins of a host, in the last release: the mean of all hosts.
        public let pins: Double
        /// The largest number of pins in a release of any host.
        public let mostPins: Int
        /// The total size of the compiled sets of all hosts.
        public let bytes: Int
        /// Percentiles of a decision's latency in nanoseconds, including two reads of the clock. Empty if decisions
        /// were not timed.
        public let latencyNanoseconds: [String: UInt64]
    }
}

/// Two strategies, host by host.
public struct Comparison: Codable, Equatable, Sendable {
    /// The first strategy.
    public let one: String
    /// The second strategy.
    public let other: String
    /// The difference in days per year that `one` and `other` lock a user out: the mean of all hosts, changes as late
    /// as possible.
    public let userDaysPerHostYear: Double
    /// The band of that difference.
    public let band: Band?
    /// Hosts at which `one` locks out longer.
    public let worse: Int
    /// Hosts at which `one` locks out for less time.
    public let better: Int
    /// The probability of the exact sign test over those hosts.
    public let signTest: Double
}

extension StudyReport {
    /// The days at which survival curves have bands.
    public static let gridDays: [Double] = [0, 1, 7, 14, 30, 60, 90, 120, 180, 270, 365, 545, 730, 910]
}
