import Testing

@testable import AllowedSites

@Suite struct TrieImageInvariantsTests {
    private static let rules =
        "a.example\n*.b.example\n!c.b.example\n10.0.0.0/8\n10.1.0.0/16\n192.0.2.0/24\n[2001:db8::]/32"

    /// The image with the eight bytes at `offset` replaced by `value` and with checksums that fit; opened unvalidated.
    private func forged(_ trie: SiteTrie, _ value: UInt64, at offset: Int) throws -> TrieImage {
        var bytes = ForgedImage.bytes(trie)
        for byte in 0..<8 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8)) }
        let resealed = ForgedImage.resealed(bytes)
        return try SiteTrie(copyingImage: resealed.span, .trusted).image
    }

    private func number(_ trie: SiteTrie, at offset: Int) -> UInt64 {
        let bytes = ForgedImage.bytes(trie)
        return (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64($1 * 8) }
    }

    @Test("A built image keeps its invariants", arguments: TrieForm.allCases)
    func built(form: TrieForm) throws {
        #expect(try trie(Self.rules, form: form).image.brokenInvariant() == nil)
    }

    @Test("Two sections that overlap are named") func overlap() throws {
        let trie = try trie(Self.rules)
        let entry = { (section: TrieImage.Section) in TrieImage.Field.sections + section.rawValue * 16 }
        let image = try forged(trie, number(trie, at: entry(.keyTables)), at: entry(.filter))
        #expect(image.brokenInvariant()?.contains("overlap") == true)
    }

    @Test("Counts of the header that do not fit are named") func counts() throws {
        let trie = try trie("a.example")
        let fields = number(trie, at: TrieImage.Field.ruleCount)
        let image = try forged(trie, fields & 0xffff_ffff | (fields >> 32 + 1) << 32, at: TrieImage.Field.ruleCount)
        #expect(image.brokenInvariant()?.contains("does not follow") == true)
    }

    @Test("Networks out of order are named", arguments: [TrieForm.fast, .ranges]) func networks(form: TrieForm) throws {
        let trie = try trie(Self.rules, form: form)
        let section = Int(number(trie, at: TrieImage.Field.sections + TrieImage.Section.networks.rawValue * 16))
        // All bits of the first entries: an address behind all others, or a range of a network that does not exist.
        let image = try forged(trie, .max, at: section)
        #expect((image.ipv4Ranges?.brokenInvariant() ?? image.ipv4Networks.brokenInvariant()) != nil)
    }
}
