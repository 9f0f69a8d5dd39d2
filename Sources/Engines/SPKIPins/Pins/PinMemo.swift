internal import Synchronization
internal import WireFormat

/// A cache of pins by key: a key that was seen before costs a comparison instead of a hash.
///
/// A hit compares all bytes of the key, so its pin is always the one that hashing gives. The cache is bounded, is never
/// stored, and a new key replaces the one in its slot. Threads share one memo without locks: each slot is a sequence lock,
/// and a reader that sees its count change computes the hash.
///
/// | words of a slot | content |
/// |---|---|
/// | 0 | the sequence count: odd during a write, 0 = never written, grows by 2 a write |
/// | 1 | number of bytes of the key |
/// | 2–5 | the pin |
/// | 6–7 | unused |
/// | from 8 | the key, little-endian; the last word holds its last eight bytes, which may overlap the word before |
///
/// A slot starts a cache line, and so does the key in it.
@safe
public final class PinMemo: Sendable {
    /// The fewest and the most bytes of a key that is cached: an Ed25519 key has 44, RSA of 4,096 bits 550.
    package static let keyLengths = 32...552
    /// The most slots.
    public static let mostSlots = 1 << 16

    static let keyStart = 8
    /// Room for the longest key and its overlapping last word, rounded up to a whole cache line.
    static let wordsPerSlot = (keyStart + keyLengths.upperBound / 8 + 1 + 7) & ~7
    private static let lineLength = 64

    let mask: Int
    // Every word is atomic, because a reader may read a slot during a write; the count then differs.
    nonisolated(unsafe) private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Makes an empty memo.
    ///
    /// - Parameter slots: rounded up to a power of two, at most ``mostSlots``; 640 bytes each.
    public init(slots: Int = 256) {
        var size = 1
        while size < min(slots, Self.mostSlots) { size *= 2 }
        assert(size & (size - 1) == 0 && size <= Self.mostSlots)
        assert(Self.wordsPerSlot * 8 % Self.lineLength == 0)
        mask = size - 1
        let count = size * Self.wordsPerSlot
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 * count, alignment: Self.lineLength)
        // The memory has room for `count` words.
        unsafe words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        for index in 0..<count { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe words.deinitialize(count: (mask + 1) * Self.wordsPerSlot)
        unsafe words.deallocate()
    }

    /// The pin of a key given as its SubjectPublicKeyInfo; it is taken from the cache, or hashed and cached.
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

    /// Bytes from the middle of the key choose the slot, because all keys of a kind share header and exponent.
    @inline(__always)
    private func slot(for key: Span<UInt8>) -> Int {
        assert(Self.keyLengths.contains(key.count))
        let one = word(key, at: key.count &>> 1)
        let other = word(key, at: key.count &- 18)
        let mixed = (one ^ (other &<< 31 | other &>> 33)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 40) & mask
    }

    // In bounds, here and below: `slot` is at most the mask, and `word` less than the words of a slot, since the length
    // of the key was checked.
    @inline(__always)
    func load(_ slot: Int, _ word: Int) -> UInt64 {
        assert(slot >= 0 && slot <= mask && word >= 0 && word < Self.wordsPerSlot)
        return unsafe words[slot &* Self.wordsPerSlot &+ word].load(ordering: .relaxed)
    }

    @inline(__always)
    private func store(_ value: UInt64, _ slot: Int, _ word: Int) {
        assert(slot >= 0 && slot <= mask && word >= 0 && word < Self.wordsPerSlot)
        unsafe words[slot &* Self.wordsPerSlot &+ word].store(value, ordering: .relaxed)
    }

    @inline(__always)
    private func word(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset <= bytes.count - 8)
        return littleEndianUInt64(in: bytes, at: offset) ?? 0
    }

    @inline(__always)
    private func remembered(_ key: Span<UInt8>, at slot: Int) -> Pin? {
        let count = unsafe words[slot &* Self.wordsPerSlot].load(ordering: .acquiring)
        guard count & 1 == 0, load(slot, 1) == UInt64(truncatingIfNeeded: key.count) else { return nil }
        // The key in this slot is nearly always the one asked for, so one branch after comparing all words is fastest.
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
        assert(word <= Self.wordsPerSlot)
        guard difference == 0 else { return nil }
        let pin = Pin(load(slot, 2), load(slot, 3), load(slot, 4), load(slot, 5))
        // All words above must be read before the count is read again.
        atomicMemoryFence(ordering: .acquiring)
        return load(slot, 0) == count ? pin : nil
    }

    @inline(never)
    private func remember(_ pin: Pin, of key: Span<UInt8>, at slot: Int) {
        let count = load(slot, 0)
        guard count & 1 == 0 else { return }
        // If two threads write, the second one gives up.
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
        assert(load(slot, 0) == count &+ 1, "only the owner of the odd count writes")
        unsafe words[slot &* Self.wordsPerSlot].store(count &+ 2, ordering: .releasing)
    }
}
