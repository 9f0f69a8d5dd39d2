internal import WireFormat

/// What a pin of a set is for.
public enum PinRole: UInt8, Hashable, Sendable {
    /// A key in use.
    case primary = 0
    /// A key that is not in use and replaces the primary ones if they are lost.
    case backup = 1
    /// A key that must not be anywhere in the chain: it was stolen, or its owner is no longer trusted.
    case forbidden = 2
}

/// A compiled set of pins: each pin once, in one contiguous image that can be stored and mapped.
///
/// A pin takes about 36 bytes; `PinTable` has the layout. Equal sets have equal bytes.
public struct PinSet: Sendable {
    /// A pin of the set.
    public struct Member: Hashable, Sendable {
        /// The SHA-256 of the key.
        public let pin: Pin
        /// The certificates it may match.
        public let position: PinPosition
        /// What it is for.
        public let role: PinRole

        /// Puts a pin at a position of the chain and into a role.
        public init(pin: Pin, position: PinPosition = .any, role: PinRole = .primary) {
            self.pin = pin
            self.position = position
            self.role = role
        }
    }

    private let storage: ImageBytes
    private let table: PinTable

    /// The most pins of a set.
    public static let mostPins = PinTable.mostPins

    init(storage: ImageBytes, table: PinTable) {
        self.storage = storage
        self.table = table
    }

    /// Compiles a set.
    ///
    /// - Parameter members: in any order; each pin once, whatever its position and role.
    /// - Complexity: O(*n* log *n*).
    public init(compiling members: [Member]) throws(PinSetError) {
        let contents = try Self.contents(of: members)
        let image = PinImage.make(.set, version: 0, contents: contents)
        storage = ImageBytes(copying: image.span)
        table = PinTable(start: PinImage.headerLength, count: members.count)
        assert(storage.withSpan { table.brokenInvariant(in: $0) } == nil)
    }

    /// The members in the order of the image, each pin once.
    static func sorted(_ members: [Member]) throws(PinSetError) -> [Member] {
        guard members.count <= mostPins else { throw .tooManyPins(count: members.count, limit: mostPins) }
        let sorted = members.sorted { $0.pin.precedes($1.pin) }
        for (member, next) in zip(sorted, sorted.dropFirst()) where member.pin == next.pin {
            throw .duplicate(pin: member.pin, roles: [member.role, next.role])
        }
        return sorted
    }

    /// The contents of an image with this set.
    static func contents(of members: [Member]) throws(PinSetError) -> [UInt8] {
        var contents: [UInt8] = []
        contents.reserveCapacity(36 * members.count + 128)
        try PinTable.append(try sorted(members), to: &contents)
        while contents.count % 8 != 0 { contents.append(0) }
        return contents
    }

    /// Reads an image that ``image`` wrote; untrusted bytes are safe.
    ///
    /// - Complexity: O(*n*), a SHA-256 of the bytes included.
    public init(image: [UInt8]) throws(PinImageError) {
        try self.init(ImageBytes(copying: image.span))
    }

    /// Maps the file at `path`, an image that ``image`` wrote: the pins are read from the file's pages and not copied.
    ///
    /// Put a new file in its place to change it; do not write into one that is mapped.
    ///
    /// - Complexity: O(*n*), a SHA-256 of the bytes included.
    public init(mappingImageAt path: String) throws(PinImageError) {
        try self.init(try ImageBytes(mappingPinImageAt: path))
    }

    private init(_ storage: ImageBytes) throws(PinImageError) {
        self.storage = storage
        table = try storage.withSpan { bytes throws(PinImageError) in
            _ = try PinImage.check(bytes, is: .set)
            let end = bytes.count - PinImage.checksumLength
            let table = try PinTable(reading: bytes, at: PinImage.headerLength, end: end)
            guard (table.end + 7) & ~7 == end else { throw .malformed(offset: table.end) }
            for offset in table.end..<end where bytes[offset] != 0 { throw .malformed(offset: offset) }
            return table
        }
    }

    /// The bytes to store; the same on every machine.
    public var image: [UInt8] {
        // The set may be a part of a policy's image, so header and checksum are computed.
        storage.withSpan { bytes in
            var contents = [UInt8](copying: bytes.extracting(table.start..<table.start + 8))
            while contents.count < PinTable(start: 0, count: count).pinsStart { contents.append(0) }
            contents.append(copying: bytes.extracting(table.pinsStart..<table.end))
            while contents.count % 8 != 0 { contents.append(0) }
            return PinImage.make(.set, version: 0, contents: contents)
        }
    }

    /// How many pins there are.
    public var count: Int { table.count }

    /// Every pin of the set, sorted.
    public var members: [Member] {
        storage.withSpan { bytes in table.members(in: bytes) }
    }

    /// The members that are not forbidden, sorted; one of them must match.
    var expected: [Member] {
        storage.withSpan { bytes in table.members(in: bytes) { $0 != .forbidden } }
    }

    /// How many such members there are.
    var expectedCount: Int {
        storage.withSpan { bytes in count - table.forbiddenCount(in: bytes) }
    }

    /// The member with this pin, or `nil`.
    ///
    /// - Complexity: O(1); no allocation.
    public func member(for pin: Pin) -> Member? {
        storage.withSpan { bytes in table.slot(of: pin, in: bytes).map { table.member(at: $0, in: bytes) } }
    }

    /// Whether the set has this pin, in whatever role.
    ///
    /// - Complexity: O(1); no allocation.
    public func contains(_ pin: Pin) -> Bool {
        storage.withSpan { bytes in table.slot(of: pin, in: bytes) != nil }
    }
}

extension PinSet: Equatable {
    /// Whether both have the same pins at the same positions in the same roles.
    public static func == (one: PinSet, other: PinSet) -> Bool {
        one.count == other.count && one.members == other.members
    }
}

/// Why pins do not make a set.
public enum PinSetError: Error, Equatable, Sendable {
    /// There are more pins than a set takes.
    case tooManyPins(count: Int, limit: Int)
    /// A pin occurs twice, in these roles.
    case duplicate(pin: Pin, roles: [PinRole])
    /// Too many pins start with the same bytes as this one; random keys do not.
    case crowded(pin: Pin)
}

extension PinSetError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .tooManyPins(let count, let limit): "pin set of \(count) pins: at most \(limit)"
        case .duplicate(let pin, let roles):
            "\(pin) occurs twice, as \(roles.map { "\($0)" }.joined(separator: " and ")): keep one"
        case .crowded(let pin):
            "\(pin) starts with the same bytes as many others; check where the pins come from"
        }
    }
}
