internal import Synchronization

/// Makes sure that a wrong password is tried once, and not again until it changes.
///
/// The key is (account, host, origin or proxy). A key that nobody has tried is *unproven*: one attempt may run, others
/// are turned away until its result is known. A *proven* key lets any number through. A *refused* key lets nothing
/// through while the account's password is the one that was refused.
final class LockoutBudget: Sendable {
    struct Key: Hashable, Sendable {
        let account: Int
        let host: String
        let isProxy: Bool
    }

    private enum Entry {
        case inFlight(version: UInt64)
        case proven(version: UInt64)
        case refused(version: UInt64)

        var version: UInt64 {
            switch self {
            case .inFlight(let version), .proven(let version), .refused(let version): version
            }
        }
    }

    /// More keys than any profile has; beyond it, keys that were never refused are forgotten first.
    static let maximumKeys = 65_536

    private let entries = Mutex<[Key: Entry]>([:])

    /// The permission to try once; returning it unused, or dropping it, frees the key again.
    final class Attempt: Sendable {
        private let budget: LockoutBudget
        private let key: Key
        private let version: UInt64
        private let isSettled = Atomic(false)

        fileprivate init(budget: LockoutBudget, key: Key, version: UInt64) {
            self.budget = budget
            self.key = key
            self.version = version
        }

        /// The party took the password.
        func accepted() { settle(.proven(version: version)) }

        /// The party refused the password.
        func refused() { settle(.refused(version: version)) }

        /// Nothing that proves a password was sent.
        func released() { settle(nil) }

        deinit { settle(nil) }

        private func settle(_ entry: Entry?) {
            let wasSettled = isSettled.exchange(true, ordering: .relaxed)
            if !wasSettled { budget.settle(key, version: version, entry) }
        }
    }

    /// What the budget says to one more attempt.
    enum Answer {
        case go(Attempt)
        case spent
        case attemptInFlight
    }

    /// Asks for an attempt with the password of `version`.
    func attempt(_ key: Key, version: UInt64) -> Answer {
        entries.withLock { entries in
            if let entry = entries[key] {
                // A newer password is known: the caller read the account before it was updated.
                if entry.version > version { return .spent }
                if entry.version == version {
                    switch entry {
                    case .inFlight: return .attemptInFlight
                    case .refused: return .spent
                    case .proven: return .go(Attempt(budget: self, key: key, version: version))
                    }
                }
            }
            if entries.count >= Self.maximumKeys { Self.forget(&entries) }
            guard entries.count < Self.maximumKeys else { return .spent }
            entries[key] = .inFlight(version: version)
            return .go(Attempt(budget: self, key: key, version: version))
        }
    }

    /// Whether an attempt would be turned away because the password was refused.
    func isSpent(_ key: Key, version: UInt64) -> Bool {
        entries.withLock { entries in
            guard case .refused(let refused) = entries[key] else { return false }
            return refused == version
        }
    }

    private func settle(_ key: Key, version: UInt64, _ result: Entry?) {
        entries.withLock { entries in
            // A newer password may have come meanwhile; what the old one met says nothing about it.
            guard let place = entries.index(forKey: key), entries.values[place].version == version else { return }
            let entry = entries.values[place]
            switch (entry, result) {
            case (_, .some(let result)):
                // A refusal is final for its version: a late success of another connection does not lift it.
                if case .refused = entry { return }
                entries.values[place] = result
            case (.inFlight, nil): entries.remove(at: place)
            case (.proven, nil), (.refused, nil): break
            }
        }
    }

    /// Drops what can be learned again at no risk; refusals stay.
    private static func forget(_ entries: inout [Key: Entry]) {
        entries = entries.filter { _, entry in
            if case .proven = entry { return false }
            return true
        }
    }
}
