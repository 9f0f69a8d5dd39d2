/// A host name of any length as words of 64 bits, laid out as in ``PackedName``, with the hashes of its beginnings.
///
/// For the few names that do not fit into three words, and for walks beyond the first place that is found.
@safe
struct LongName {
    /// Words of the name and, behind them, ``wordCount`` hashes: the one at *i* covers words 0 to *i*.
    private let storage: UnsafeMutableBufferPointer<UInt64>
    private let name: UnsafeRawBufferPointer

    /// How many words the longest name takes: 253 bytes of six bits and two bits.
    private static let wordCount = 24

    /// The longest name in bytes, as `Hostname` has it.
    static let maximumLength = 253

    /// Calls `body` with the packed name.
    ///
    /// - Precondition: `1...maximumLength` contains `name.count`.
    static func with<Result>(
        _ name: UnsafeRawBufferPointer,
        _ hash: KeyHash,
        _ body: (borrowing LongName) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: wordCount * 2) { storage in
            unsafe storage.initialize(repeating: 0)
            return unsafe body(LongName(name, hash, storage))
        }
    }

    private init(_ name: UnsafeRawBufferPointer, _ hash: KeyHash, _ storage: UnsafeMutableBufferPointer<UInt64>) {
        unsafe self.name = name
        unsafe self.storage = storage
        precondition(name.count > 0 && name.count <= Self.maximumLength)
        for index in 0..<name.count {
            // In bounds: the longest name has 1520 bits, and the words hold 1536.
            let byte = unsafe name[name.count - 1 - index]
            let bits = UInt64(byte & 0x1f | byte >> 1 & 0x20)
            let offset = index * 6 + 2
            unsafe storage[offset / 64] |= bits << UInt64(offset % 64)
            if offset % 64 > 58 { unsafe storage[offset / 64 + 1] |= bits >> UInt64(64 - offset % 64) }
        }
        unsafe storage[Self.wordCount + 1] = fold(storage[0] ^ hash.first, storage[1] ^ hash.second)
        for index in 2..<Self.wordCount {
            unsafe storage[Self.wordCount + index] = hash.next(
                storage[Self.wordCount + index - 1],
                storage[index]
            )
        }
    }

    var count: Int { unsafe name.count }

    /// Word `index` of the last `length` bytes.
    func word(_ index: Int, ofSuffix length: Int) -> UInt64 {
        unsafe PackedName.lowest(length * 6 + 2 - index * 64, of: storage[index])
    }

    /// The hash of the last `length` bytes.
    func hash(ofSuffix length: Int, _ hash: KeyHash) -> UInt64 {
        let last = max((length * 6 + 1) / 64, 2)
        if last == 2 {
            return hash(word(0, ofSuffix: length), word(1, ofSuffix: length), word(2, ofSuffix: length))
        }
        return unsafe hash.next(storage[Self.wordCount + last - 1], word(last, ofSuffix: length))
    }

    /// The length of the longest suffix of whole labels with less than `length` bytes, or `nil`.
    func nextSuffix(below length: Int) -> Int? {
        let count = count
        var start = count - length
        while start < count {
            // In bounds: no suffix is longer than the name.
            if unsafe name[start] == UInt8(ascii: ".") { return count - start - 1 }
            start += 1
        }
        return nil
    }

    /// The length of the last `labels` labels, or of the whole name where it has no more.
    func length(ofLabels labels: Int) -> Int {
        let count = count
        var left = labels
        for length in 0..<count {
            guard unsafe name[count - 1 - length] == UInt8(ascii: ".") else { continue }
            left -= 1
            if left == 0 { return length }
        }
        return count
    }
}
