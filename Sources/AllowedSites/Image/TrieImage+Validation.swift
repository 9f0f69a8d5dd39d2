extension TrieImage {
    func validate() throws(TrieImageError) {
        let (found, expected) = contentChecksum()
        guard found == expected else { throw .checksum(found: found, expected: expected) }
    }
}
