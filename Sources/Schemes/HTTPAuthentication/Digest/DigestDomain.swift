/// The requests of one party that one Digest nonce is meant for (RFC 7616 section 3.3, `domain`).
struct DigestDomain: Sendable {
    /// Paths that requests begin with; `nil` for all requests to the party.
    private let paths: [String]?
    /// Scheme and authority in lower case without a default port; `nil` if unknown, or if all requests are meant.
    private let origin: String?

    /// Reads the `domain` of a challenge.
    ///
    /// Entries of other origins are ignored. If no entry is left, no request is covered, and each waits for its own
    /// challenge. A proxy's space is all of its requests: its `domain` has no meaning.
    init(domain: String?, party: ChallengedParty, origin: String?) {
        let entries = (domain ?? "").split(separator: " ")
        guard party == .origin, !entries.isEmpty else {
            (paths, self.origin) = (nil, nil)
            return
        }
        let origin = origin.flatMap { Self.split($0)?.origin }
        self.origin = origin
        paths = entries.prefix(DigestLimits.domainEntries).compactMap { entry in
            if entry.utf8.first == UInt8(ascii: "/") { return entry.hasPrefix("//") ? nil : String(entry) }
            guard let origin, let (other, path) = Self.split(entry), other == origin else { return nil }
            return String(path)
        }
    }

    /// Whether the request with `target` belongs to the space.
    ///
    /// - Complexity: O(*n*) in the entries of `domain`; no allocation for a target in origin form.
    func contains(_ target: String) -> Bool {
        guard let paths else { return true }
        if target.utf8.first == UInt8(ascii: "/") { return paths.contains { target.utf8.starts(with: $0.utf8) } }
        guard let origin, let (other, path) = Self.split(target), other == origin else { return false }
        return paths.contains { path.utf8.starts(with: $0.utf8) }
    }

    /// Origin and path of an absolute URL, or `nil`. The path of an URL without one is `/`.
    private static func split(_ url: some StringProtocol) -> (origin: String, path: Substring)? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var origin = url[..<end].lowercased()
        for (name, port) in [("http://", ":80"), ("https://", ":443")]
        where origin.hasPrefix(name) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        let path = Substring(rest[end...])
        return (origin, path.hasPrefix("/") ? path : "/" + path)
    }
}
