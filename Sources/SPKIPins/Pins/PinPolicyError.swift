/// Why entries do not make a pin policy; `entry` is an index into the entries given.
public enum PinPolicyError: Error, Equatable, Sendable {
    /// There are no entries: a policy that pins nothing is more likely a lost file than a wish.
    case empty
    /// There are more entries than a policy takes.
    case tooManyEntries(count: Int, limit: Int)
    /// The entry has more pins than it may.
    case tooManyPins(entry: Int, count: Int, limit: Int)
    /// The host pattern of the entry cannot be used.
    case invalidPattern(entry: Int, reason: HostPatternError)
    /// The entry has the same pattern as an earlier one.
    case duplicatePattern(entry: Int, first: Int)
    /// The entry has no primary pin.
    case noPins(entry: Int)
    /// The entry has no backup pin, so losing the key would lose the site.
    case noBackupPin(entry: Int)
    /// The entry does without a backup pin and gives no reason.
    case noReason(entry: Int)
    /// The entry has a pin twice.
    case duplicatePin(entry: Int, pin: Pin)
    /// The entry has a backup pin that is a primary one as well, which is no backup.
    case backupIsPrimary(entry: Int, pin: Pin)
    /// The entry has expired at the time of compiling.
    case alreadyExpired(entry: Int, expiry: Int64, now: Int64)
}

extension PinPolicyError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .empty: "pin policy without entries: give at least one, or no policy"
        case .tooManyEntries(let count, let limit): "pin policy of \(count) entries: at most \(limit)"
        case .tooManyPins(let entry, let count, let limit): "entry \(entry) has \(count) pins: at most \(limit)"
        case .invalidPattern(let entry, let reason): "entry \(entry): \(reason)"
        case .duplicatePattern(let entry, let first):
            "entry \(entry) has the pattern of entry \(first): put their pins together"
        case .noPins(let entry): "entry \(entry) has no pins: name at least one key in use"
        case .noBackupPin(let entry):
            "entry \(entry) has no backup pin: make a second key, keep it offline, and pin it too"
        case .noReason(let entry): "entry \(entry) has no backup pin and no reason for that: write the reason down"
        case .duplicatePin(let entry, let pin): "entry \(entry) has \(pin) twice: keep one"
        case .backupIsPrimary(let entry, let pin):
            "entry \(entry) has \(pin) as primary and as backup: a backup is another key"
        case .alreadyExpired(let entry, let expiry, let now):
            "entry \(entry) expired at \(expiry), which is before now, \(now): renew its pins and its expiry"
        }
    }
}
