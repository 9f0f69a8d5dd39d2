internal import Synchronization
internal import WireFormat

/// Pins of keys that were seen before: a key that comes again costs a comparison instead of a hash.
///
/// A hit needs the full bytes of the key to be the same, so the memo knows nothing that a hash would not say, and nobody
/// can put a wrong pin into it. It is bounded, lives in memory alone, and forgets a key when another takes its place.
/// Share one among all threads: readers take no lock and wait for nobody; a reader that meets a writer hashes.
///
/// ```
/// slot   word 0    odd while somebody writes, 0 before the first time, counts up by two
///        word 1    bytes of the key
///        words 2–5 the pin
///        words 8…  the key, little-endian; the last word holds the last eight bytes, which may overlap the one before
/// ```
///
/// A slot begins with a line of the processor's cache, and so does the key in it.
@safe
public final class PinMemo: Sendable {
    /// The fewest and the most bytes of a key that is remembered: an Ed25519 key has 44, RSA of 4,096 bits 550.
    package static let keyLengths = 32...552
    /// The most slots.
    public static let mostSlots = 1 << 16

    private static let keyStart = 8
    /// The longest key, the word that overlaps, and what fills the last line.
    private static let wordsPerSlot = (keyStart + keyLengths.upperBound / 8 + 1 + 7) & ~7
    private static let lineLength = 64

    private let mask: Int
    // Every word is atomic, since a reader may look at a slot that is being written; its count then shows that.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Makes an empty memo.
    ///
    /// - Parameter slots: rounded up to a power of two, at most ``mostSlots``; 640 bytes each.
    public init(slots: Int = 256) {
        var size = 1
        while size < min(slots, Self.mostSlots) { size *= 2 }
        mask = size - 1
        let count = size * Self.wordsPerSlot
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 * count, alignment: Self.lineLength)
        // As many words as there is room for.
        unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe words.deinitialize(count: (mask + 1) * Self.wordsPerSlot)
        unsafe words.deallocate()
    }

    /// The pin of a key given as its SubjectPublicKeyInfo: remembered, or hashed and remembered from now on.
    ///
    /// - Complexity: O(*n*); no allocation.
    public func pin(of subjectPublicKeyInfo: Span<UInt8>) -> Pin {
        guard Self.keyLengths.contains(subjectPublicKeyInfo.count) else { return Pin(hashing: subjectPublicKeyInfo) }
        let slot = slot(for: subjectPublicKeyInfo)
        if let pin = remembered(subjectPublicKeyInfo, at: slot) { return pin }
        let pin = Pin(hashing: subjectPublicKeyInfo)
        remember(pin, of: subjectPublicKeyInfo, at: slot)
        return pin
    }

    /// A few bytes out of the middle choose the slot: headers and exponents are the same in all keys of a kind.
    @inline(__always)
    private func slot(for key: Span<UInt8>) -> Int {
        let one = word(key, at: key.count &>> 1)
        let other = word(key, at: key.count &- 18)
        let mixed = (one ^ (other &<< 31 | other &>> 33)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 40) & mask
    }

    // In bounds, here and below: `slot` is at most the mask, and `word` less than the words of a slot, since the length
    // of the key was checked.
    @inline(__always)
    private func load(_ slot: Int, _ word: Int) -> UInt64 {
        unsafe words[slot &* Self.wordsPerSlot &+ word].load(ordering: .relaxed)
    }

    @inline(__always)
    private func store(_ value: UInt64, _ slot: Int, _ word: Int) {
        unsafe words[slot &* Self.wordsPerSlot &+ word].store(value, ordering: .relaxed)
    }

    @inline(__always)
    private func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 { littleEndianUInt64(in: bytes, at: offset) ?? 0 }

    @inline(__always)
    private func remembered(_ key: Span<UInt8>, at slot: Int) -> Pin? {
        let count = unsafe words[slot &* Self.wordsPerSlot].load(ordering: .acquiring)
        guard count & 1 == 0, load(slot, 1) == UInt64(truncatingIfNeeded: key.count) else { return nil }
        // A key that chose this slot is nearly always the one that is in it: all of it is compared before anything is decided.
        var difference = load(slot, Self.keyStart &+ key.count &>> 3) ^ word(key, at: key.count &- 8)
        var word = Self.keyStart
        var offset = 0
        while offset &+ 32 <= key.count {
            let part = key.extracting(offset..<offset + 32)
            difference |= load(slot, word) ^ self.word(part, at: 0)
            difference |= load(slot, word &+ 1) ^ self.word(part, at: 8)
            difference |= load(slot, word &+ 2) ^ self.word(part, at: 16)
            difference |= load(slot, word &+ 3) ^ self.word(part, at: 24)
            word &+= 4
            offset &+= 32
        }
        while offset &+ 8 <= key.count {
            difference |= load(slot, word) ^ self.word(key, at: offset)
            word &+= 1
            offset &+= 8
        }
        guard difference == 0 else { return nil }
        let pin = Pin(load(slot, 2), load(slot, 3), load(slot, 4), load(slot, 5))
        // The words above must have been read before the count is looked at again.
        atomicMemoryFence(ordering: .acquiring)
        return load(slot, 0) == count ? pin : nil
    }

    @inline(never)
    private func remember(_ pin: Pin, of key: Span<UInt8>, at slot: Int) {
        let count = load(slot, 0)
        guard count & 1 == 0 else { return }
        // Whoever comes second leaves it to the first.
        let (isOurs, _) = unsafe words[slot &* Self.wordsPerSlot].compareExchange(
            expected: count,
            desired: count &+ 1,
            ordering: .acquiring
        )
        guard isOurs else { return }
        // No reader may see a word of the new key together with the old count.
        atomicMemoryFence(ordering: .releasing)
        store(UInt64(key.count), slot, 1)
        store(pin.word0, slot, 2)
        store(pin.word1, slot, 3)
        store(pin.word2, slot, 4)
        store(pin.word3, slot, 5)
        var word = Self.keyStart
        var offset = 0
        while offset &+ 8 <= key.count {
            store(self.word(key, at: offset), slot, word)
            word &+= 1
            offset &+= 8
        }
        store(self.word(key, at: key.count &- 8), slot, word)
        unsafe words[slot &* Self.wordsPerSlot].store(count &+ 2, ordering: .releasing)
    }
}
