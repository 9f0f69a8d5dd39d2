internal import Synchronization

/// Ensures that a wrong password of an account is sent once, and not again until it changes.
///
/// | state of a place | meaning | attempts |
/// |---|---|---|
/// | unproven | the password was not tried here | one at a time; others are refused until it ends |
/// | proven | the place accepted the password | any number |
/// | refused | the place refused the password | none until the password changes |
///
/// A budget belongs to an account, not to a handler, so that it survives a reload of the profile.
final class LockoutBudget: Sendable {
    /// A host, as origin or as proxy. The realm is not part of it, because the server chooses the realm: with a new one
    /// in each response it could get the same wrong password many times, or in a weaker scheme.
    struct Place: Equatable, Sendable {
        private let host: String
        private let isProxy: Bool
        /// Computed once for each request. `Hasher` uses a random seed for each process, so an attacker cannot choose
        /// hosts with equal hashes.
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

    /// The most places of one account. At the bound, places without a refusal and without a running attempt are
    /// forgotten.
    static let maximumPlaces = 65_536

    private let places = Mutex(PlaceTable<Entry>())
    private let passwords = Atomic<UInt64>(0)

    /// The number for a new password; the first password has 0.
    func nextVersion() -> UInt64 { passwords.add(1, ordering: .relaxed).newValue }

    /// The answer of the budget to a request for an attempt.
    enum Answer: ~Copyable {
        case go(Attempt)
        case spent
        case attemptInFlight
    }

    /// Requests an attempt with the password of `version`.
    func attempt(_ place: Place, version: UInt64) -> Answer {
        // Begun under the lock, so that the place cannot be forgotten between the check and the attempt.
        places.withLock { places in
            guard let entry = Self.entry(of: place, in: &places) else { return .spent }
            switch entry.begin(version: version) {
            case .free, .proven: return .go(Attempt(at: entry, version: version))
            case .inFlight: return .attemptInFlight
            case .refused: return .spent
            }
        }
    }

    /// Whether an attempt would be refused because the password was refused.
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

    /// Forgets proven and untried places, because they can be learned again without risk. Keeps refused places, and
    /// places with a running attempt, because the attempt stores its result in the entry.
    private static func forget(in places: inout PlaceTable<Entry>) {
        // Attempts begin under the lock, so an entry that only the table references cannot get an attempt meanwhile.
        places.keep { entry in !isKnownUniquelyReferenced(&entry) || entry.isRefused }
    }
}

extension LockoutBudget {
    /// The state of one place: the version of a password, and its stage.
    fileprivate final class Entry: Sendable {
        enum Stage: UInt64 { case free, inFlight, proven, refused }

        // Bits 2 to 63: the version. Bits 0 and 1: the stage.
        private let word = Atomic<UInt64>(0)

        /// Begins an attempt if the stage allows one; returns the stage before.
        func begin(version: UInt64) -> Stage {
            var met = word.load(ordering: .acquiring)
            while true {
                // The entry knows a newer password: the caller read the account before an update.
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

        /// Records the result of a password of `version`. The result of an old password does not count for a newer one.
        /// A refusal is final for its version: a later success of another connection does not change it.
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

        /// Whether the place refused its password. Forgetting it could send that password again.
        var isRefused: Bool { Self.stage(of: word.load(ordering: .acquiring)) == .refused }

        private static func stage(of word: UInt64) -> Stage { Stage(rawValue: word & 3) ?? .refused }

        private static func word(_ version: UInt64, _ stage: Stage) -> UInt64 { version << 2 | stage.rawValue }
    }

    /// The permission for one attempt. An attempt that ends without a result releases its place.
    struct Attempt: ~Copyable, Sendable {
        private let entry: Entry
        private let version: UInt64
        private let isSettled = Atomic(false)

        fileprivate init(at entry: Entry, version: UInt64) {
            self.entry = entry
            self.version = version
        }

        /// The party accepted the password.
        func accepted() { settle(.proven) }

        /// The party refused the password.
        func refused() { settle(.refused) }

        /// No message that depends on the password was sent.
        func released() { settle(.free) }

        deinit {
            // The last reference is gone, so a plain load is enough.
            if !isSettled.load(ordering: .relaxed) { entry.settle(version: version, .free) }
        }

        private func settle(_ stage: Entry.Stage) {
            let wasSettled = isSettled.exchange(true, ordering: .relaxed)
            if !wasSettled { entry.settle(version: version, stage) }
        }
    }
}
