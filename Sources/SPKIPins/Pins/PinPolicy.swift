/// Which keys which hosts must show: compiled from entries, immutable, and never silently without effect.
///
/// To change a policy, compile another one with a higher version and put it in the place of the first. A connection that
/// was opened under one version says nothing about another, so the version belongs in the key of a connection pool.
public struct PinPolicy: Sendable {
    /// The most entries of a policy.
    public static let mostEntries = 1 << 20
    /// The most pins of one entry, primary and backup together.
    public static let mostPinsPerEntry = 4096

    /// Chosen by the caller; comes back in each verdict.
    public let version: UInt64

    let entries: [CompiledEntry]
    /// The canonical host of each pattern, and the entries whose patterns have it.
    let places: [Substring: Place]

    /// An entry that passed every check.
    struct CompiledEntry: Sendable {
        let pattern: HostPattern
        let pins: PinSet
        let expiry: Int64?
        let mode: Mode
    }

    /// Indices of the entries at one host, by the breadth of their patterns.
    struct Place: Sendable {
        var exact: Int?
        var oneLabel: Int?
        var anyLabels: Int?

        subscript(breadth: HostPattern.Breadth) -> Int? {
            get {
                switch breadth {
                case .exact: exact
                case .oneLabel: oneLabel
                case .anyLabels: anyLabels
                }
            }
            set {
                switch breadth {
                case .exact: exact = newValue
                case .oneLabel: oneLabel = newValue
                case .anyLabels: anyLabels = newValue
                }
            }
        }
    }
}

extension PinPolicy {
    /// What a mismatch means.
    public enum Mode: Hashable, Sendable {
        /// The connection must not be used.
        case enforce
        /// The connection may be used; somebody wants to know.
        case reportOnly
    }

    /// What stands by for the day when the primary keys are lost or stolen.
    public enum Backup: Equatable, Sendable {
        /// Keys that exist, are not in use, and are kept elsewhere; best under another certificate authority.
        case pins([PositionedPin])
        /// Nothing: when the keys go, the site is unreachable for every client with this policy. Say why that is acceptable.
        case unsafeSinglePin(reason: String)
    }

    /// A host pattern and its pins, as they are written down.
    public struct Entry: Equatable, Sendable {
        /// `host.example`, `*.host.example` (exactly one label more) or `**.host.example` (one or several).
        public var host: String
        /// The keys in use, of which one must be in the validated chain.
        public var pins: [PositionedPin]
        /// The keys that will be in use one day; one of these in the chain is a match as well.
        public var backup: Backup
        /// The first second, counted from 1970-01-01T00:00:00Z, in which the entry no longer decides; `nil` for never.
        public var expiry: Int64?
        /// Whether a mismatch forbids the connection.
        public var mode: Mode

        /// Writes down an entry; `PinPolicy(compiling:version:at:)` judges it.
        public init(
            host: String,
            pins: [PositionedPin],
            backup: Backup,
            expiry: Int64?,
            mode: Mode = .enforce
        ) {
            self.host = host
            self.pins = pins
            self.backup = backup
            self.expiry = expiry
            self.mode = mode
        }
    }
}
