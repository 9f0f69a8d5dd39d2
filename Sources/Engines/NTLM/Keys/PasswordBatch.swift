package import InsecureDigests
internal import Secrets
internal import WireFormat

/// Hashes many passwords at once in the SIMD lanes of the processor (`NTOWFv1`, MS-NLMP 3.3.1).
///
/// The lanes take messages of equal length, so the passwords are sorted by length first. The hashes have the order of
/// the passwords. The passwords are erased after hashing.
package struct PasswordBatch: ~Copyable {
    /// The passwords in UTF-16LE, without separators; erased with its owner. The array never grows, because growth
    /// would leave a copy of the passwords in freed memory.
    private final class Text {
        var bytes: [UInt8] = []
        deinit { erase(&bytes) }
    }

    private let text = Text()
    private var lengths: [UInt16] = []
    private let capacity: Int

    /// Reserves memory for `capacity` bytes of passwords in UTF-8.
    package init(capacity: Int) {
        self.capacity = 2 * capacity
    }

    /// Passwords that are not hashed yet.
    package var count: Int { lengths.count }

    /// Adds a password.
    ///
    /// - Throws: `passwordNotUTF8`, or `passwordTooLong` above 256 UTF-16 units. The batch is unchanged then.
    /// - Precondition: all passwords since the last ``hashes()`` together fit the capacity.
    package mutating func append(utf8 password: Span<UInt8>) throws(NTLMKeyError) {
        if text.bytes.isEmpty { text.bytes.reserveCapacity(capacity) }
        let start = text.bytes.count
        precondition(capacity - start >= 2 * password.count, "the passwords exceed the capacity of the batch")
        try PasswordText.append(utf8: password, to: &text.bytes)
        assert(text.bytes.count <= capacity, "growth would leave a copy of the passwords in freed memory")
        assert(text.bytes.count - start <= 2 * NTLMLimits.passwordUnits, "`hashes` counts lengths up to this one")
        lengths.append(UInt16(text.bytes.count - start))
    }

    /// Hashes all passwords, erases them, and returns the hashes in the order of the passwords.
    ///
    /// - Complexity: O(*n*); a few allocations for each distinct length.
    package mutating func hashes() -> [Digest16] {
        // Counting sort: count each length, compute where each length starts, then move every password there.
        var counts = [Int](repeating: 0, count: 2 * NTLMLimits.passwordUnits + 1)
        for length in lengths { counts[Int(length)] += 1 }
        var places = [Int](repeating: 0, count: counts.count)
        var starts = places
        var (place, start) = (0, 0)
        for length in counts.indices {
            places[length] = place
            starts[length] = start
            place += counts[length]
            start += counts[length] * length
        }
        assert(place == lengths.count && start == text.bytes.count, "the sorted passwords fill their array")
        var sorted = [UInt8](repeating: 0, count: text.bytes.count)
        var origins = [Int](repeating: 0, count: lengths.count)
        var from = 0
        for index in lengths.indices {
            let length = Int(lengths[index])
            let to = starts[length]
            for byte in 0..<length { sorted[to + byte] = text.bytes[from + byte] }
            origins[places[length]] = index
            from += length
            starts[length] = to + length
            places[length] += 1
        }
        assert(from == text.bytes.count, "every byte of the passwords was moved")
        erase(&text.bytes)
        var results: [Digest16?] = .init(repeating: nil, count: lengths.count)
        lengths.removeAll(keepingCapacity: true)
        for length in counts.indices where counts[length] > 0 {
            let last = starts[length]
            assert(counts[length] * length <= last && last <= sorted.count)
            let messages = sorted.span.extracting((last - counts[length] * length)..<last)
            let first = places[length] - counts[length]
            for (offset, digest) in MD4.hashes(of: messages, count: counts[length]).enumerated() {
                results[origins[first + offset]] = digest
            }
        }
        erase(&sorted)
        assert(results.allSatisfy { $0 != nil }, "each password has a hash, so hashes and passwords correspond")
        return results.compactMap { $0 }
    }
}
