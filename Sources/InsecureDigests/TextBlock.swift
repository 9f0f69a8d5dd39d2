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
            var bits: UInt8 = 0
            for index in 0..<count {
                let character = unsafe characters[index]
                bits |= character
                // In bounds: less than a block, checked above. Of ASCII, every byte of UTF-8 is one unit.
                unsafe block.storeBytes(of: UInt16(character).littleEndian, toByteOffset: 2 * index, as: UInt16.self)
            }
            // In bounds: eight bytes are left at least.
            unsafe block[2 * count] = 0x80
            unsafe block.storeBytes(
                of: UInt16(16 * count).littleEndian,
                toByteOffset: Compression.blockSize - 8,
                as: UInt16.self
            )
            return bits < 0x80
        } ?? false
    }
}

/// The blocks of 64 texts, end to end.
@safe
struct TextBlocks: ~Copyable {
    private static let byteCount = DigestTile.capacity * Compression.blockSize
    private let memory: UnsafeMutableRawBufferPointer

    init() {
        unsafe memory = .allocate(byteCount: Self.byteCount, alignment: Compression.blockSize)
        _ = unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
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
        _ = unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
        return unsafe TextBlock.put(text, into: block)
    }

    /// Calls `body` with all blocks.
    func withBytes(_ body: (Span<UInt8>) -> Void) {
        // Valid: the memory lives as long as self, and all of it was initialised.
        let span = unsafe Span<UInt8>(_unsafeElements: UnsafeRawBufferPointer(memory).bindMemory(to: UInt8.self))
        body(span)
    }
}
