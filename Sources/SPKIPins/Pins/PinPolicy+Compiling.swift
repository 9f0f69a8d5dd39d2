extension PinPolicy {
    /// Compiles `entries`, or throws the first thing that would make pinning fail later, or do nothing.
    ///
    /// - Parameters:
    ///   - entries: in any order; the most specific pattern decides, not the first.
    ///   - version: comes back in each verdict; use a higher one for each change.
    ///   - now: seconds since 1970-01-01T00:00:00Z, against which the expiry of each entry is held.
    /// - Complexity: O(*n* log *n*) in the number of pins.
    public init(compiling entries: [Entry], version: UInt64, at now: Int64) throws(PinPolicyError) {
        guard !entries.isEmpty else { throw .empty }
        guard entries.count <= Self.mostEntries else {
            throw .tooManyEntries(count: entries.count, limit: Self.mostEntries)
        }
        var compiled: [CompiledEntry] = []
        compiled.reserveCapacity(entries.count)
        var places: [Substring: Place] = [:]
        for (index, entry) in entries.enumerated() {
            let pattern: HostPattern
            do throws(HostPatternError) {
                pattern = try HostPattern(parsing: entry.host)
            } catch {
                throw .invalidPattern(entry: index, reason: error)
            }
            var place = places[pattern.base[...]] ?? Place()
            if let first = place[pattern.breadth] { throw .duplicatePattern(entry: index, first: first) }
            place[pattern.breadth] = index
            places[pattern.base[...]] = place
            if let expiry = entry.expiry, expiry <= now {
                throw .alreadyExpired(entry: index, expiry: expiry, now: now)
            }
            compiled.append(
                CompiledEntry(
                    pattern: pattern,
                    pins: try Self.pinSet(of: entry, at: index),
                    expiry: entry.expiry,
                    mode: entry.mode
                )
            )
        }
        self.version = version
        self.entries = compiled
        self.places = places
    }

    private static func pinSet(of entry: Entry, at index: Int) throws(PinPolicyError) -> PinSet {
        guard !entry.pins.isEmpty else { throw .noPins(entry: index) }
        let backup: [PositionedPin]
        switch entry.backup {
        case .pins(let pins):
            guard !pins.isEmpty else { throw .noBackupPin(entry: index) }
            backup = pins
        case .unsafeSinglePin(let reason):
            guard reason.contains(where: { !$0.isWhitespace }) else { throw .noReason(entry: index) }
            backup = []
        }
        guard entry.pins.count + backup.count <= mostPinsPerEntry else {
            throw .tooManyPins(entry: index, count: entry.pins.count + backup.count, limit: mostPinsPerEntry)
        }
        do throws(PinSet.Conflict) {
            return try PinSet(primary: entry.pins, backup: backup)
        } catch {
            switch error {
            case .duplicate(let pin): throw .duplicatePin(entry: index, pin: pin)
            case .backupIsPrimary(let pin): throw .backupIsPrimary(entry: index, pin: pin)
            }
        }
    }
}
