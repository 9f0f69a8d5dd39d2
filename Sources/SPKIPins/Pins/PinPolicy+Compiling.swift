internal import Hostnames
internal import SecureDigests
internal import WireFormat

extension PinPolicy {
    /// Compiles `entries`, or throws the first thing that would make pinning fail later, or do nothing.
    ///
    /// - Parameters:
    ///   - entries: in any order; the most specific pattern decides, not the first.
    ///   - version: comes back in each verdict; use a higher one for each change.
    ///   - now: seconds since 1970-01-01T00:00:00Z, against which the expiry of each entry is held. The policy remembers
    ///     it and believes no clock before it.
    ///   - knownCertificates: certificates of pinned keys, in DER, as far as they are at hand; with them, a backup that
    ///     hangs on the key or on the authority of a primary pin is found out.
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
            try known.checkBackups(in: members, entry: index)
            try builder.append(entry, pattern: pattern, members: members)
        }
        let image = try builder.image(version: version, at: now)
        do throws(PinImageError) {
            compiled = try CompiledPinPolicy(ImageBytes(copying: image.span))
        } catch {
            throw .unusableImage(error)
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

/// Lays out the image of a policy, entry by entry.
private struct PinPolicyBuilder {
    private var hosts: [(kind: HostKey.Kind, bytes: [UInt8])] = []
    /// The place of each host, and the entries of its patterns by their breadth.
    private var places: [Hostname: Int] = [:]
    private var entriesOfPlace: [[Int?]] = []
    private var records: [UInt8] = []
    private var sets: [UInt8] = []
    private var count = 0

    mutating func append(
        _ entry: PinPolicy.Entry,
        pattern: HostPattern,
        members: [PinSet.Member]
    ) throws(PinPolicyError) {
        let place = places[pattern.base] ?? hosts.count
        if place == hosts.count {
            places[pattern.base] = place
            hosts.append(HostKey.bytes(of: pattern.base))
            entriesOfPlace.append([nil, nil, nil])
        }
        let breadth = Int(pattern.breadth.rawValue)
        if let first = entriesOfPlace[place][breadth] { throw .duplicatePattern(entry: count, first: first) }
        entriesOfPlace[place][breadth] = count

        // Counted from the first set for now; nobody knows yet how long the parts before the sets are.
        records.append(littleEndian: UInt64(bitPattern: entry.expiry ?? .max))
        records.append(littleEndian: UInt32(sets.count / 8))
        records.append(littleEndian: UInt32(place))
        records += [pattern.breadth.rawValue, entry.mode == .enforce ? 0 : 1, entry.forbidden.isEmpty ? 0 : 1]
        records += [0, 0, 0, 0, 0]
        do throws(PinSetError) {
            sets += try PinSet.contents(of: members)
        } catch {
            throw PinPolicyError(error, entry: count)
        }
        count += 1
    }

    func image(version: UInt64, at now: Int64) throws(PinPolicyError) -> [UInt8] {
        var text: [UInt8] = []
        for host in hosts { text += host.bytes }
        // The hash is seeded by what is hashed: nobody outside can choose names beforehand that fall on one slot, and the
        // same policy is the same image everywhere.
        let digest = Digest32(sha256Of: text.span)
        for attempt in 0..<4 {
            let layout = CompiledPinPolicy.Layout(
                entryCount: count,
                slotCount: 2 * hosts.count,
                placeCount: hosts.count,
                textLength: text.count,
                seed: digest.words[attempt],
                compiledAt: now
            )
            guard let slots = HostTable(layout: layout).slots(of: hosts) else { continue }
            let contents = contents(layout, slots: slots, text: text)
            return PinImage.make(.policy, version: version, contents: contents)
        }
        throw .crowdedHosts
    }

    private func contents(_ layout: CompiledPinPolicy.Layout, slots: [UInt32], text: [UInt8]) -> [UInt8] {
        var contents: [UInt8] = []
        contents.reserveCapacity(layout.setsStart + sets.count)
        for number in [count, slots.count, hosts.count, text.count] { contents.append(littleEndian: UInt32(number)) }
        contents.append(littleEndian: layout.seed)
        contents.append(littleEndian: UInt64(bitPattern: layout.compiledAt))
        for slot in slots { contents.append(littleEndian: slot) }
        var textStart = 0
        for (host, entries) in zip(hosts, entriesOfPlace) {
            contents.append(littleEndian: UInt32(textStart))
            contents += [UInt8(host.bytes.count), 0, host.kind.rawValue, 0]
            for entry in entries { contents.append(littleEndian: UInt32(entry.map { $0 + 1 } ?? 0)) }
            textStart += host.bytes.count
        }
        contents += recordsWithSets(startingAt: layout.setsStart)
        contents += text
        while (contents.count + PinImage.headerLength) % 8 != 0 { contents.append(0) }
        return contents + sets
    }

    private func recordsWithSets(startingAt start: Int) -> [UInt8] {
        var moved = records
        for index in 0..<count {
            let offset = index * CompiledPinPolicy.Layout.entryLength + 8
            let set = (littleEndianUInt32(in: records.span, at: offset) ?? 0) + UInt32(start / 8)
            for byte in 0..<4 { moved[offset + byte] = UInt8(truncatingIfNeeded: set >> (8 * UInt32(byte))) }
        }
        return moved
    }
}
