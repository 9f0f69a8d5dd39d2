@testable import AllowedSites

/// The bytes of images, and how somebody with bad intentions changes them.
enum ForgedImage {
    static func bytes(_ trie: SiteTrie) -> [UInt8] {
        trie.withImage { image in image.indices.map { image[$0] } }
    }

    /// The same bytes with checksums that fit them.
    static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        func store(_ value: UInt64, at offset: Int) {
            for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8)) }
        }
        store(
            unsafe bytes.withUnsafeBytes {
                unsafe ImageChecksum.compute(UnsafeRawBufferPointer(rebasing: $0[TrieImage.headerLength...]))
            },
            at: TrieImage.Field.checksum
        )
        store(unsafe bytes.withUnsafeBytes { unsafe TrieImage.headerChecksum($0) }, at: TrieImage.Field.headerChecksum)
        return bytes
    }
}
