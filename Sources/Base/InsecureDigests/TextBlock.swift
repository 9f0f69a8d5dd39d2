internal import CDigestLanes

/// The only MD4 block of a short text in UTF-16LE, with its padding.
struct TextBlock {
    var words = SIMD16<UInt32>()

    /// Stores a text if it is ASCII and shorter than half a block; returns whether it was stored.
    ///
    /// - Precondition: the block is new.
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
            // In bounds: less than a block, checked above. In ASCII each UTF-8 byte is one UTF-16 unit.
            let isASCII = unsafe widen(UnsafeRawBufferPointer(characters), into: block)
            // In bounds: at least eight bytes are left.
            unsafe block[2 * count] = 0x80
            unsafe block.storeBytes(
                of: UInt16(16 * count).littleEndian,
                toByteOffset: Compression.blockSize - 8,
                as: UInt16.self
            )
            return isASCII
        } ?? false
    }

    /// Widens each byte to two, eight and then four at a time; returns whether all are ASCII.
    ///
    /// Steps do not overlap, because a short text was just stored as two words, and a load across both would wait for
    /// the stores.
    private static func widen(
        _ characters: UnsafeRawBufferPointer,
        into block: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let count = characters.count
        var bits: UInt64 = 0
        var start = 0
        // In bounds: the bytes to read are left, and the caller checked that twice as many can be written. The low byte
        // comes first, which is UTF-16LE on the little-endian machines of the kernels.
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
        // No greater alignment, because aligned allocation is slow; see DigestTile.
        unsafe memory = .allocate(byteCount: Self.byteCount, alignment: MemoryLayout<UInt64>.alignment)
    }

    deinit {
        unsafe sallyport_digest_erase(memory.baseAddress, memory.count)
        unsafe memory.deallocate()
    }

    /// Stores a text in the block of its lane; returns whether it fits.
    mutating func put(_ text: String, lane: Int) -> Bool {
        precondition(lane >= 0 && lane < DigestTile.capacity)
        let start = lane * Compression.blockSize
        // In bounds: each lane has a block.
        let block = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start..<(start + Compression.blockSize)])
        unsafe block.storeBytes(of: SIMD16<UInt32>(), as: SIMD16<UInt32>.self)
        return unsafe TextBlock.put(text, into: block)
    }

    /// Calls `body` with the blocks of the first lanes, which hold texts.
    func withBytes(of lanes: Int, _ body: (Span<UInt8>) -> Void) {
        precondition(lanes >= 0 && lanes <= DigestTile.capacity)
        let blocks = unsafe UnsafeRawBufferPointer(rebasing: memory[..<(lanes * Compression.blockSize)])
        // Valid: `self` owns the memory, and `put(_:lane:)` initialised it up to here.
        let span = unsafe Span<UInt8>(_unsafeElements: blocks.bindMemory(to: UInt8.self))
        body(span)
    }
}
