/// A study's numbers, ready to be shown.
public struct StudyReport: Codable, Equatable, Sendable {
    /// What made the numbers.
    public let parameters: Parameters
    /// What they were made from.
    public let recording: StudiedRecording
    /// Of how many hosts the records are here; fewer than the recording's for a part.
    public let hosts: Int
    /// In the order they were given.
    public let strategies: [StrategyReport]
    /// Each pair of strategies, host by host.
    public let comparisons: [Comparison]
    /// What to do, in plain words.
    public let advice: String

    /// ``StudyParameters`` as a report prints them.
    public struct Parameters: Codable, Equatable, Sendable {
        /// `immediate`, `exponential` or `points`.
        public let curve: String
        /// Of an exponential curve.
        public let halfLifeDays: Double?
        /// Of a curve of points.
        public let points: [UpdateCurve.Point]?
        /// Days from seeing a new chain to shipping pins for it.
        public let reactionDays: Double
        /// `every capture`, or `every N days`.
        public let starts: String
        /// Days between starts, on a grid.
        public let gridDays: Int?
        /// For each band.
        public let resamplings: Int
        /// Of the resamplings.
        public let seed: UInt64
        /// For each decision.
        public let latencyRounds: Int
        /// Of restricted means.
        public let horizonDays: Double
        /// Of bands.
        public let confidence: Double
    }
}

/// What a study says of one strategy.
public struct StrategyReport: Codable, Equatable, Sendable {
    /// The strategy.
    public let name: String
    /// What it pins.
    public let summary: String
    /// How long pins went on matching.
    public let survival: Survival
    /// Whom it locked out.
    public let outages: Outages
    /// Whom it lets in.
    public let exposure: ExposureReport
    /// Its size and speed.
    public let cost: Cost
    /// Whether no other strategy has both fewer user-days of outage and fewer keys that could impersonate a host.
    public var isOnFront: Bool

    /// How long pins went on matching; days.
    public struct Survival: Codable, Equatable, Sendable {
        /// Pins that were followed.
        public let starts: Int
        /// Of which failed within the recording.
        public let failures: Int
        /// If every change had come as early as it can have.
        public let early: Estimate
        /// If every change had come as late as it can have.
        public let late: Estimate
    }

    /// A survival curve and its summary; bands come from resampling hosts.
    public struct Estimate: Codable, Equatable, Sendable {
        /// The whole curve, which starts at 1.
        public let steps: [KaplanMeier.Step]
        /// The first day on which at most half matched; `nil` when more than half did to the end.
        public let median: Double?
        /// A missing end was not reached within the recording.
        public let medianBand: Band?
        /// The mean life up to 365 days.
        public let restrictedMean: Double
        /// Of the restricted mean.
        public let restrictedMeanBand: Band?
        /// At ``StudyReport/gridDays``.
        public let bands: [Band]
    }

    /// Whom it locked out.
    public struct Outages: Codable, Equatable, Sendable {
        /// Changes of chain that pins of the moment before refused.
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
        /// Of `userDaysPerHostYear.late`.
        public let userDaysPerHostYearBand: Band?
    }

    /// Whom it lets in.
    public struct ExposureReport: Codable, Equatable, Sendable {
        /// The mean of all hosts.
        public let keys: Double
        /// Of the mean number of keys.
        public let keysBand: Band?
        /// The mean of all hosts.
        public let authorities: Double
        /// The mean of all hosts.
        public let organisations: Double
        /// Of the host with the most.
        public let mostKeys: Int
        /// By label, impostors' chains and hosts that had one accepted.
        public let impostors: [String: Impostors]
        /// Keys of hosts that leaked; `nil` when the recording knows of none.
        public let leaks: Leaks?
    }

    /// Keys that leaked: from the leak on, until pins refuse the thief's chain, its certificate expires or the recording ends.
    public struct Leaks: Codable, Equatable, Sendable {
        /// Of all hosts.
        public let count: Int
        /// Hosts that lost one.
        public let hosts: Int
        /// How many of them pins refused before the certificate expired.
        public let closedByPins: Int
        /// Days during which the newest pins accepted the chain: the mean.
        public let meanWindowDays: Double
        /// The longest of them.
        public let longestWindowDays: Double
        /// Days during which an average user's pins accepted it: the mean.
        public let meanUserDays: Double
    }

    /// Impostors' chains of one label.
    public struct Impostors: Codable, Equatable, Sendable {
        /// Seen.
        public let seen: Int
        /// Accepted by the pins of their time.
        public let accepted: Int
        /// Hosts that had one accepted, of hosts that saw one.
        public let hosts: Proportion
        /// The mean number of days from an accepted chain to pins that refuse it; `nil` when none was accepted.
        public let meanOpenDays: Double?
        /// How many were accepted to the recording's end.
        public let neverClosed: Int
    }

    /// Its size and speed.
    public struct Cost: Codable, Equatable, Sendable {
        /// Pins of a host, in the last release: the mean of all hosts.
        public let pins: Double
        /// The most pins that any host ever had.
        public let mostPins: Int
        /// Of the compiled sets of all hosts.
        public let bytes: Int
        /// Nanoseconds of a decision; the clock's own time is in them. Empty when nothing was timed.
        public let latencyNanoseconds: [String: UInt64]
    }
}

/// Two strategies, host by host.
public struct Comparison: Codable, Equatable, Sendable {
    /// One.
    public let one: String
    /// The other.
    public let other: String
    /// How many days out of a year more a user is locked out by `one`: the mean of all hosts, changes as late as possible.
    public let userDaysPerHostYear: Double
    /// Of that difference.
    public let band: Band?
    /// Hosts at which `one` locks out longer.
    public let worse: Int
    /// Hosts at which `one` locks out for less time.
    public let better: Int
    /// The exact sign test over those hosts.
    public let signTest: Double
}

extension StudyReport {
    /// The days at which bands of survival curves are given.
    public static let gridDays: [Double] = [0, 1, 7, 14, 30, 60, 90, 120, 180, 270, 365, 545, 730, 910]
}
