/// A hash of a party: scheme, host and port, and whether it is a proxy. Seeded at random for each process, so an attacker cannot choose parties
/// with equal hashes.
struct PartyHash: Hashable, Sendable {
    let value: Int

    init(_ place: Place, port: UInt16, kind: Int) {
        // The hash of the place has the seed. Parties of one host differ here, and an odd factor keeps them apart.
        value = place.hash ^ (Int(port) << 2 | kind) &* 0x1E37_79B9_7F4A_7C15
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    /// What a dictionary asks for: a hash of the hash was a tenth of an answer in advance with a token.
    // swift-format-ignore: NoLeadingUnderscores
    func _rawHashValue(seed: Int) -> Int { value }
}
