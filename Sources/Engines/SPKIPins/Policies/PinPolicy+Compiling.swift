internal import Hostnames
internal import Secrets
internal import WireFormat

extension PinPolicy {
    /// Compiles `entries`, or throws the first mistake that would make pinning fail later or have no effect.
    ///
    /// - Parameters:
    ///   - entries: in any order; the most specific pattern decides, not the first.
    ///   - version: is part of each verdict; use a higher one for each change.
    ///   - now: seconds since 1970-01-01T00:00:00Z, when no entry may have expired; the policy stores it.
    ///   - knownCertificates: certificates of pinned keys, in DER, if available. With them, a backup that shares the key
    ///     or the authority of a primary pin is an error.
    /// - Complexity: O(*n* log *n*) in the number of pins.
    public init(
        compiling entries: [Entry],
        version: UInt64,
        at now: Int64,
        knownCertificates: [[UInt8]] = []
    ) throws(PinPolicyError) {
        guard !entries.isEmpty else { throw .empty }
        guard entries.count <= Self.mostEntries else {
            throw .tooManyEntries(count: entries.count, limit: Self.mostEntries)
        }
        let known = try KnownKeys(of: knownCertificates)
        var builder = PinPolicyBuilder()
        for (index, entry) in entries.enumerated() {
            let pattern: HostPattern
            do throws(HostPatternError) {
                pattern = try HostPattern(parsing: entry.host)
            } catch {
                throw .invalidPattern(entry: index, reason: error)
            }
            if let expiry = entry.expiry, expiry <= now {
                throw .alreadyExpired(entry: index, expiry: expiry, now: now)
            }
            let members = try Self.members(of: entry, at: index)
            try Self.check(entry, with: known, at: index)
            try builder.append(entry, pattern: pattern, members: members)
        }
        let image = try builder.image(version: version, at: now)
        do throws(PinImageError) {
            compiled = try CompiledPinPolicy(ImageBytes(copying: image.span))
        } catch {
            throw .unusableImage(error)
        }
        assert(compiled.brokenInvariant() == nil)
    }

    private static func check(_ entry: Entry, with known: KnownKeys, at index: Int) throws(PinPolicyError) {
        switch known.fault(of: entry.backupPins.map(\.pin), besides: entry.pins.map(\.pin)) {
        case .primaryKey(let backup, _): throw .backupHasPrimaryKey(entry: index, pin: backup)
        case .sameAuthority(let backup, _): throw .backupOfSameAuthority(entry: index, pin: backup)
        case nil: return
        }
    }

    private static func members(of entry: Entry, at index: Int) throws(PinPolicyError) -> [PinSet.Member] {
        guard !entry.pins.isEmpty else { throw .noPins(entry: index) }
        let backup: [PositionedPin]
        switch entry.backup {
        case .pins(let pins):
            guard !pins.isEmpty else { throw .noBackupPin(entry: index) }
            backup = pins
        case .amongPins:
            guard entry.pins.count > 1 else { throw .noBackupPin(entry: index) }
            backup = []
        case .unsafeSinglePin(let reason):
            guard reason.contains(where: { !$0.isWhitespace }) else { throw .noReason(entry: index) }
            backup = []
        }
        guard entry.pins.count + backup.count <= mostPinsPerEntry else {
            throw .tooManyPins(entry: index, count: entry.pins.count + backup.count, limit: mostPinsPerEntry)
        }
        guard entry.forbidden.count <= mostForbiddenPerEntry else {
            throw .tooManyPins(entry: index, count: entry.forbidden.count, limit: mostForbiddenPerEntry)
        }
        return entry.pins.map { PinSet.Member(pin: $0.pin, position: $0.position, role: .primary) }
            + backup.map { PinSet.Member(pin: $0.pin, position: $0.position, role: .backup) }
            + entry.forbidden.map { PinSet.Member(pin: $0, role: .forbidden) }
    }
}
