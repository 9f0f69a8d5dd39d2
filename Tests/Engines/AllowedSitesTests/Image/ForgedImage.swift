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
        let content = ImageChecksum.compute(bytes.span.extracting(TrieImage.headerLength..<bytes.count))
        store(content, at: TrieImage.Field.checksum)
        let header = TrieImage.headerChecksum(bytes.span)
        store(header, at: TrieImage.Field.headerChecksum)
        return bytes
    }
}
