internal import CDigestLanes

/// A short text in UTF-16LE, padded: the one block of its MD4.
struct TextBlock {
    var words = SIMD16<UInt32>()

    /// Takes a text of ASCII of less than half a block; tells whether it was one. Works on a new block only.
    mutating func put(_ text: String) -> Bool {
        unsafe withUnsafeMutableBytes(of: &words) { unsafe Self.put(text, into: $0) }
    }

    mutating func erase() { eraseDigestState(&words) }

    /// Writes text, padding and length into a block of zeros.
    static func put(_ text: String, into block: UnsafeMutableRawBufferPointer) -> Bool {
        precondition(block.count == Compression.blockSize)
        return unsafe text.utf8.withContiguousStorageIfAvailable { characters in
            let count = characters.count
            guard 2 * count < Compression.blockSize - 8 else { return false }
            // In bounds: less than a block, checked above. Of ASCII, every byte of UTF-8 is one unit.
            let isASCII = unsafe widen(UnsafeRawBufferPointer(characters), into: block)
            // In bounds: eight bytes are left at least.
            unsafe block[2 * count] = 0x80
            unsafe block.storeBytes(
                of: UInt16(16 * count).littleEndian,
                toByteOffset: Compression.blockSize - 8,
                as: UInt16.self
            )
            return isASCII
        } ?? false
    }

    /// Makes every byte two, in steps of eight and then four; tells whether all were ASCII.
    ///
    /// No step overlaps another: a short text was stored as two words right before, and a load from across both would
    /// wait for them to reach the cache.
    private static func widen(
        _ characters: UnsafeRawBufferPointer,
        into block: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let count = characters.count
        var bits: UInt64 = 0
        var start = 0
        // In bounds: as many bytes are left to read; the caller checked that twice as many can be written. Low byte
        // first: on the little-endian machines that the kernels are for, UTF-16LE.
        while count - start >= 8 {
            let eight = unsafe characters.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            bits |= eight
            let units = SIMD8<UInt16>(truncatingIfNeeded: unsafe unsafeBitCast(eight, to: SIMD8<UInt8>.self))
            unsafe block.storeBytes(of: units, toByteOffset: 2 * start, as: SIMD8<UInt16>.self)
            start += 8
        }
        if count - start >= 4 {
            let four = unsafe characters.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            bits |= UInt64(four)
            let units = SIMD4<UInt16>(truncatingIfNeeded: unsafe unsafeBitCast(four, to: SIMD4<UInt8>.self))
            unsafe block.storeBytes(of: units, toByteOffset: 2 * start, as: SIMD4<UInt16>.self)
            start += 4
        }
        while start < count {
            let character = unsafe characters[start]
            bits |= UInt64(character)
            unsafe block.storeBytes(of: UInt16(character).littleEndian, toByteOffset: 2 * start, as: UInt16.self)
            start += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}

/// The blocks of 64 texts, end to end.
@safe
struct TextBlocks: ~Copyable {
    private static let byteCount = DigestTile.capacity * Compression.blockSize
    private let memory: UnsafeMutableRawBufferPointer

    init() {
        // Aligned no further than that: see DigestTile.
        unsafe memory = .allocate(byteCount: Self.byteCount, alignment: MemoryLayout<UInt64>.alignment)
    }

    deinit {
        unsafe sallyport_digest_erase(memory.baseAddress, memory.count)
        unsafe memory.deallocate()
    }

    /// Puts a text into its lane's block; tells whether it fits.
    mutating func put(_ text: String, lane: Int) -> Bool {
        precondition(lane >= 0 && lane < DigestTile.capacity)
        let start = lane * Compression.blockSize
        // In bounds: a block for each lane.
        let block = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start..<(start + Compression.blockSize)])
        unsafe block.storeBytes(of: SIMD16<UInt32>(), as: SIMD16<UInt32>.self)
        return unsafe TextBlock.put(text, into: block)
    }

    /// Calls `body` with the blocks of the first lanes, whose texts were put there.
    func withBytes(of lanes: Int, _ body: (Span<UInt8>) -> Void) {
        precondition(lanes >= 0 && lanes <= DigestTile.capacity)
        let blocks = unsafe UnsafeRawBufferPointer(rebasing: memory[..<(lanes * Compression.blockSize)])
        // Valid: the memory lives as long as self, and put(_:lane:) initialised it up to here.
        let span = unsafe Span<UInt8>(_unsafeElements: blocks.bindMemory(to: UInt8.self))
        body(span)
    }
}
