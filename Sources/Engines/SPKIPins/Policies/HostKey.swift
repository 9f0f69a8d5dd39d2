internal import Hostnames
internal import WireFormat

/// The key of a host in the table: the bytes of its name, or its address as a number of 16 bytes.
enum HostKey {
    enum Kind: UInt8 {
        case name = 0
        case ipv4 = 1
        case ipv6 = 2

        /// How many bytes of text such a host may have.
        var lengths: ClosedRange<Int> {
            switch self {
            case .name: 1...Hostname.maximumNameLength
            case .ipv4, .ipv6: 16...16
            }
        }

        /// The length that enters the hash, with the kind above it.
        ///
        /// Hosts of different kinds may have equal bytes; the kind makes their hashes differ.
        func hashedLength(_ count: Int) -> Int {
            assert(count >= 0 && count < 1 << 8)
            return count | Int(rawValue) << 8
        }
    }

    /// The bytes of `host` in an image: the text of a name, or an address as 16 bytes, least significant first.
    static func bytes(of host: Hostname) -> (kind: Kind, bytes: [UInt8]) {
        switch host.form {
        case .name(let name): (.name, name)
        case .ipv4(let address): (.ipv4, bytes(of: UInt128(address.rawValue)))
        case .ipv6(let address): (.ipv6, bytes(of: address.rawValue))
        }
    }

    /// The host whose bytes are `text`.
    static func host(_ kind: Kind, _ text: Span<UInt8>) -> Hostname {
        assert(kind.lengths.contains(text.count))
        let low = littleEndianUInt64(in: text, at: 0) ?? 0
        let high = littleEndianUInt64(in: text, at: 8) ?? 0
        let form: Hostname.Form =
            switch kind {
            case .ipv4: .ipv4(IPv4Address(rawValue: UInt32(truncatingIfNeeded: low)))
            case .ipv6: .ipv6(IPv6Address(rawValue: UInt128(low) | UInt128(high) << 64))
            case .name: .name([UInt8](copying: text))
            }
        return Hostname(form: form)
    }

    private static func bytes(of address: UInt128) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: address)
        return bytes
    }
}

/// A hash that reads a name from its last byte to its first, eight bytes a step.
///
/// The state after some steps serves every suffix that starts further left, so the hash of each suffix costs one step more:
/// the remaining 0 to 7 bytes, the length and the kind of host.
struct SuffixHash {
    private var state: UInt64

    @inline(__always)
    init(seed: UInt64) { state = seed }

    /// Adds eight bytes; the last byte of the text is the most significant.
    @inline(__always)
    mutating func absorb(_ word: UInt64) { state = Self.product(state ^ word, 0x9E37_79B9_7F4A_7C15) }

    /// The hash of a text of `length` bytes; `rest` has the remaining bytes as its most significant ones.
    @inline(__always)
    func finished(_ rest: UInt64, length: Int) -> UInt64 {
        assert(length >= 0)
        let sum = (state ^ rest) &+ UInt64(truncatingIfNeeded: length) &* 0xD6E8_FEB8_6659_FD93
        return Self.product(sum, 0xA076_1D64_78BD_642F)
    }

    // Both halves of the product: each bit of the result depends on all bits before it.
    @inline(__always)
    private static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (high, low) = one.multipliedFullWidth(by: other)
        return high ^ low
    }

    /// Sets the highest bit of each byte that is a dot.
    @inline(__always)
    static func dots(in word: UInt64) -> UInt64 {
        let differences = word ^ 0x2E2E_2E2E_2E2E_2E2E
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        return ~((differences & low &+ low) | differences | low)
    }

    /// The first `count` bytes of `text`, fewer than eight, as the most significant ones.
    @inline(__always)
    static func firstBytes(_ count: Int, of text: Span<UInt8>) -> UInt64 {
        assert(count >= 0 && count < 8 && count <= text.count)
        if let word = littleEndianUInt64(in: text, at: 0) { return word << UInt64(64 &- 8 &* count) }
        var rest: UInt64 = 0
        for index in 0..<count { rest = rest >> 8 | UInt64(text[index]) << 56 }
        return rest
    }

    /// The hash of an address, as that of its sixteen bytes.
    static func hash(ofAddress low: UInt64, _ high: UInt64, _ kind: HostKey.Kind, seed: UInt64) -> UInt64 {
        var hash = SuffixHash(seed: seed)
        hash.absorb(high)
        hash.absorb(low)
        return hash.finished(0, length: kind.hashedLength(16))
    }

    /// The hash of a host whose bytes are `text`.
    static func hash(of text: Span<UInt8>, _ kind: HostKey.Kind, seed: UInt64) -> UInt64 {
        var hash = SuffixHash(seed: seed)
        var end = text.count
        while end >= 8 {
            hash.absorb(littleEndianUInt64(in: text, at: end - 8) ?? 0)
            end -= 8
        }
        return hash.finished(firstBytes(end, of: text), length: kind.hashedLength(text.count))
    }
}
