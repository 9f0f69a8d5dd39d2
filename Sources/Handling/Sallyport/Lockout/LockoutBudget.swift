internal import Synchronization

/// Makes sure that a wrong password of one account is tried once, and not again until it changes.
///
/// A place that nobody has tried is *unproven*: one attempt may run, others are turned away until its result is known. A
/// *proven* place lets any number through. A *refused* place lets nothing through while the account's password is the one
/// that was refused. A budget belongs to the account, so that it outlives the handler of one profile.
final class LockoutBudget: Sendable {
    /// Who may refuse a password. A realm is not part of it: the server writes it, and with a new one for each response it
    /// could have the same wrong password sent again and again, or in a weaker scheme.
    struct Place: Equatable, Sendable {
        private let host: String
        private let isProxy: Bool
        /// Made with the request, not for each decision; under a seed of this process, so that nobody can choose equal ones.
        let hash: Int

        init(host: String, isProxy: Bool) {
            self.host = host
            self.isProxy = isProxy
            var hasher = Hasher()
            hasher.combine(host)
            hasher.combine(isProxy)
            hash = hasher.finalize()
        }

        static func == (left: Place, right: Place) -> Bool {
            left.hash == right.hash && left.isProxy == right.isProxy && left.host == right.host
        }
    }

    /// More places than any account is used at; beyond it, those that were never refused are forgotten first.
    static let maximumPlaces = 65_536

    private let places = Mutex(PlaceTable<Entry>())
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
        places.withLock { places in
            guard let entry = Self.entry(of: place, in: &places) else { return .spent }
            switch entry.begin(version: version) {
            case .free, .proven: return .go(Attempt(at: entry, version: version))
            case .inFlight: return .attemptInFlight
            case .refused: return .spent
            }
        }
    }

    /// Whether an attempt would be turned away because the password was refused.
    func isSpent(_ place: Place, version: UInt64) -> Bool {
        places.withLock { $0[place] }?.isRefused(version: version) ?? false
    }

    private static func entry(of place: Place, in places: inout PlaceTable<Entry>) -> Entry? {
        if let entry = places[place] { return entry }
        if places.count >= maximumPlaces { forget(in: &places) }
        guard places.count < maximumPlaces else { return nil }
        let entry = Entry()
        places.add(entry, at: place)
        return entry
    }

    /// Forgets what can be learned again at no risk. Refusals stay, and so does every place where an attempt is under way:
    /// what it will meet belongs to the entry that it holds, and would be lost with it.
    private static func forget(in places: inout PlaceTable<Entry>) {
        // Attempts begin under the lock, so nobody can take hold of an entry that only the table holds.
        places.keep { entry in !isKnownUniquelyReferenced(&entry) || entry.isRefused }
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

        /// Whether forgetting it could have a refused password sent again.
        var isRefused: Bool { Self.stage(of: word.load(ordering: .acquiring)) == .refused }

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

        deinit {
            // Nobody else holds it any more, so nothing has to be exchanged.
            if !isSettled.load(ordering: .relaxed) { entry.settle(version: version, .free) }
        }

        private func settle(_ stage: Entry.Stage) {
            let wasSettled = isSettled.exchange(true, ordering: .relaxed)
            if !wasSettled { entry.settle(version: version, stage) }
        }
    }
}
