internal import WireFormat

/// Why entries do not make a pin policy; `entry` is an index into the entries given.
public enum PinPolicyError: Error, Equatable, Sendable {
    /// There are no entries. An empty policy is refused, because it is likely a lost file.
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
    /// A backup pin of the entry is a primary pin as well.
    case backupIsPrimary(entry: Int, pin: Pin)
    /// The entry expects a pin and forbids it.
    case forbiddenIsExpected(entry: Int, pin: Pin)
    /// The backup pin is the same key as a primary pin, with another AlgorithmIdentifier.
    case backupHasPrimaryKey(entry: Int, pin: Pin)
    /// Every backup pin has the certificate authority of a primary pin; `pin` is one of these.
    case backupOfSameAuthority(entry: Int, pin: Pin)
    /// The certificate at `index` of those given as known cannot be read.
    case unreadableCertificate(index: Int, reason: CertificateError)
    /// The entry has expired at the time of compiling.
    case alreadyExpired(entry: Int, expiry: Int64, now: Int64)
    /// Too many pins of the entry start with equal bytes; random keys do not.
    case crowdedPins(entry: Int, pin: Pin)
    /// Too many hosts share a bucket of the table with every seed.
    case crowdedHosts
    /// The compiled image cannot be read back; a defect of this library.
    case unusableImage(PinImageError)
}

extension PinPolicyError {
    init(_ error: PinSetError, entry: Int) {
        switch error {
        case .tooManyPins(let count, let limit): self = .tooManyPins(entry: entry, count: count, limit: limit)
        case .crowded(let pin): self = .crowdedPins(entry: entry, pin: pin)
        case .duplicate(let pin, let roles):
            let isForbidden = roles.contains(.forbidden)
            if roles[0] == roles[1] {
                self = .duplicatePin(entry: entry, pin: pin)
            } else {
                self =
                    isForbidden
                    ? .forbiddenIsExpected(entry: entry, pin: pin) : .backupIsPrimary(entry: entry, pin: pin)
            }
        }
    }
}

extension PinPolicyError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do. Entries are numbered from 0.
    public var description: String { description { "entry \($0)" } }

    /// The same with another name for the entry of each index.
    package func description(naming name: (Int) -> String) -> String {
        switch self {
        case .empty: "pin policy without entries: give at least one, or no policy"
        case .tooManyEntries(let count, let limit): "pin policy of \(count) entries: at most \(limit)"
        case .tooManyPins(let entry, let count, let limit): "\(name(entry)) has \(count) pins: at most \(limit)"
        case .invalidPattern(let entry, let reason): "\(name(entry)): \(reason)"
        case .duplicatePattern(let entry, let first):
            "\(name(entry)) has the pattern of \(name(first)): put their pins together"
        case .noPins(let entry): "\(name(entry)) has no pins: name at least one key in use"
        case .noBackupPin(let entry):
            "\(name(entry)) has no backup pin: make a second key, keep it offline, and pin it too"
        case .noReason(let entry): "\(name(entry)) has no backup pin and no reason for that: write the reason down"
        case .duplicatePin(let entry, let pin): "\(name(entry)) has \(pin) twice: keep one"
        case .backupIsPrimary(let entry, let pin):
            "\(name(entry)) has \(pin) as primary and as backup: a backup is another key"
        case .forbiddenIsExpected(let entry, let pin): "\(name(entry)) expects \(pin) and forbids it: keep one"
        case .backupHasPrimaryKey(let entry, let pin):
            "\(name(entry)) has backup \(pin), the same key as a primary pin, with another AlgorithmIdentifier: make a second key"
        case .backupOfSameAuthority(let entry, let pin):
            "\(name(entry)) has backup \(pin) and every backup has the authority of a primary pin: add one of another authority"
        case .unreadableCertificate(let index, let reason): "known certificate \(index): \(reason)"
        case .crowdedPins(let entry, let pin):
            "\(name(entry)): too many pins start with the bytes of \(pin); check where the pins come from"
        case .crowdedHosts: "pin policy: too many hosts share a bucket of the table; split the policy"
        case .unusableImage(let reason): "the compiled policy cannot be read back (\(reason)); please report this"
        case .alreadyExpired(let entry, let expiry, let now):
            "\(name(entry)) expired at \(Timestamp.text(unixSeconds: expiry)), now is \(Timestamp.text(unixSeconds: now)): renew its pins and its expiry"
        }
    }

    /// The index of the entry with the mistake, if an entry has it.
    package var entry: Int? {
        switch self {
        case .tooManyPins(let entry, _, _), .invalidPattern(let entry, _), .duplicatePattern(let entry, _),
            .noPins(let entry), .noBackupPin(let entry), .noReason(let entry), .duplicatePin(let entry, _),
            .backupIsPrimary(let entry, _), .forbiddenIsExpected(let entry, _), .backupHasPrimaryKey(let entry, _),
            .backupOfSameAuthority(let entry, _), .alreadyExpired(let entry, _, _), .crowdedPins(let entry, _):
            entry
        case .empty, .tooManyEntries, .unreadableCertificate, .crowdedHosts, .unusableImage: nil
        }
    }
}
