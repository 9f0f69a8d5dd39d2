extension HostTable {
    /// Checks that the lookup of a place's own text leads to that place.
    ///
    /// - Returns: the broken invariant, or `nil`.
    func brokenInvariant(of place: CompiledPinPolicy.Place, in bytes: Span<UInt8>) -> String? {
        guard let kind = HostKey.Kind(rawValue: place.kind(in: bytes)) else {
            return "the place at \(place.offset) has the kind \(place.kind(in: bytes))"
        }
        let hash = SuffixHash.hash(of: bytes.extracting(place.text(in: bytes)), kind, seed: layout.seed)
        let found = self.place(of: hash, in: bytes)?.offset
        return found == place.offset ? nil : "a lookup does not find the place at \(place.offset)"
    }
}
