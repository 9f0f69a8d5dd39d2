internal import CDigestLanes

extension MD4 {
    /// The longest text of ``hash(utf16:)`` in UTF-16 units; a longer text would need the heap.
    package static let textUnits = 256

    /// Returns the digest of the UTF-16LE form of `text`. The form exists only on the stack and is erased.
    ///
    /// - Returns: the digest, or `nil` for a text of more than ``textUnits`` units.
    /// - Complexity: O(*n*); no allocation.
    package static func hash(utf16 text: String) -> Digest16? {
        if let digest = hash(shortASCII: text) { return digest }
        let units = text.utf16.count
        guard units <= textUnits else { return nil }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 2 * units, alignment: 2) { memory in
            defer { unsafe sallyport_digest_erase(memory.baseAddress, memory.count) }
            var offset = 0
            for unit in text.utf16 {
                precondition(offset < memory.count)
                // In bounds: checked above. Offset and size are even, so two bytes fit.
                unsafe memory.storeBytes(of: unit.littleEndian, toByteOffset: offset, as: UInt16.self)
                offset += 2
            }
            precondition(offset == memory.count)
            // Valid: the memory lives until the closure returns, and all bytes were written.
            let bytes = unsafe Span<UInt8>(_unsafeElements: UnsafeRawBufferPointer(memory).bindMemory(to: UInt8.self))
            return hash(bytes)
        }
    }

    /// The digest of an ASCII text that fits into one block with its padding, as most passwords do.
    private static func hash(shortASCII text: String) -> Digest16? {
        var block = TextBlock()
        defer { block.erase() }
        guard block.put(text) else { return nil }
        var state = BlockHash.initialState
        Compression.md4(&state, block: &block.words)
        defer { eraseDigestState(&state) }
        return Digest16(words: state)
    }
}
