internal import Synchronization

/// Makes sure that a wrong password of one account is tried once, and not again until it changes.
///
/// A place that nobody has tried is *unproven*: one attempt may run, others are turned away until its result is known. A
/// *proven* place lets any number through. A *refused* place lets nothing through while the account's password is the one
/// that was refused. A budget belongs to the account, so that it outlives the handler of one profile.
final class LockoutBudget: Sendable {
    /// Who may refuse a password. A realm is not part of it: the server writes it, and with a new one for each response it
    /// could have the same wrong password sent again and again, or in a weaker scheme.
    struct Place: Hashable, Sendable {
        private let host: String
        private let isProxy: Bool
        // Made with the request, not for each decision.
        private let hash: Int

        init(host: String, isProxy: Bool) {
            self.host = host
            self.isProxy = isProxy
            var hasher = Hasher()
            hasher.combine(host)
            hasher.combine(isProxy)
            hash = hasher.finalize()
        }

        func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    /// More places than any account is used at; beyond it, those that were never refused are forgotten first.
    static let maximumPlaces = 65_536

    private let places = Mutex<[Place: Entry]>([:])
    private let passwords = Atomic<UInt64>(0)

    /// A number for another password; the first one has 0.
    func nextVersion() -> UInt64 { passwords.add(1, ordering: .relaxed).newValue }

    /// What the budget says to one more attempt.
    enum Answer: ~Copyable {
        case go(Attempt)
        case spent
        case attemptInFlight
    }

    /// Asks for an attempt with the password of `version`.
    func attempt(_ place: Place, version: UInt64) -> Answer {
        // Begun under the lock, so that no place is forgotten between the look at it and the attempt.
        let begun = places.withLock { places in
            Self.entry(of: place, in: &places).map { ($0, $0.begin(version: version)) }
        }
        guard let (entry, stage) = begun else { return .spent }
        switch stage {
        case .free, .proven: return .go(Attempt(at: entry, version: version))
        case .inFlight: return .attemptInFlight
        case .refused: return .spent
        }
    }

    /// Whether an attempt would be turned away because the password was refused.
    func isSpent(_ place: Place, version: UInt64) -> Bool {
        places.withLock { $0[place] }?.isRefused(version: version) ?? false
    }

    private static func entry(of place: Place, in places: inout [Place: Entry]) -> Entry? {
        if let entry = places[place] { return entry }
        // What can be learned again at no risk goes; refusals stay, and so does what somebody waits for.
        if places.count >= maximumPlaces { places = places.filter { $1.isWorthKeeping } }
        guard places.count < maximumPlaces else { return nil }
        let entry = Entry()
        places[place] = entry
        return entry
    }
}

extension LockoutBudget {
    /// What is known of one place: a password's version and how it fared.
    fileprivate final class Entry: Sendable {
        enum Stage: UInt64 { case free, inFlight, proven, refused }

        // The version and, in the lowest bits, the stage.
        private let word = Atomic<UInt64>(0)

        /// Begins an attempt if the stage allows one; returns the stage that was met.
        func begin(version: UInt64) -> Stage {
            var met = word.load(ordering: .acquiring)
            while true {
                // A newer password is known: the caller read the account before it was updated.
                if met >> 2 > version { return .refused }
                let stage = met >> 2 == version ? Self.stage(of: met) : .free
                guard stage == .free else { return stage }
                let (exchanged, original) = word.weakCompareExchange(
                    expected: met,
                    desired: Self.word(version, .inFlight),
                    ordering: .acquiringAndReleasing
                )
                if exchanged { return .free }
                met = original
            }
        }

        /// Notes what a password of `version` met. A newer password may have come meanwhile, and what the old one met says
        /// nothing about it. A refusal is final for its version: a late success of another connection does not lift it.
        func settle(version: UInt64, _ stage: Stage) {
            var met = word.load(ordering: .acquiring)
            while met >> 2 == version, Self.stage(of: met) != .refused {
                if stage == .free, Self.stage(of: met) != .inFlight { return }
                let (exchanged, original) = word.weakCompareExchange(
                    expected: met,
                    desired: Self.word(version, stage),
                    ordering: .acquiringAndReleasing
                )
                if exchanged { return }
                met = original
            }
        }

        func isRefused(version: UInt64) -> Bool {
            word.load(ordering: .acquiring) == Self.word(version, .refused)
        }

        /// Whether forgetting it could have a refused password sent again, or two first attempts at once.
        var isWorthKeeping: Bool {
            let stage = Self.stage(of: word.load(ordering: .acquiring))
            return stage == .refused || stage == .inFlight
        }

        private static func stage(of word: UInt64) -> Stage { Stage(rawValue: word & 3) ?? .refused }

        private static func word(_ version: UInt64, _ stage: Stage) -> UInt64 { version << 2 | stage.rawValue }
    }

    /// The permission to try once; giving it up unused frees the place again.
    struct Attempt: ~Copyable, Sendable {
        private let entry: Entry
        private let version: UInt64
        private let isSettled = Atomic(false)

        fileprivate init(at entry: Entry, version: UInt64) {
            self.entry = entry
            self.version = version
        }

        /// The party took the password.
        func accepted() { settle(.proven) }

        /// The party refused the password.
        func refused() { settle(.refused) }

        /// Nothing that proves a password was sent.
        func released() { settle(.free) }

        deinit { settle(.free) }

        private func settle(_ stage: Entry.Stage) {
            let wasSettled = isSettled.exchange(true, ordering: .relaxed)
            if !wasSettled { entry.settle(version: version, stage) }
        }
    }
}
