public import Hostnames

/// A challenge for which a store looks up credentials.
public struct CredentialQuery: Sendable {
    /// Which records a question finds, by the path of their space. Paths are compared byte by byte, as Git compares them.
    public enum Paths: Hashable, Sendable {
        /// Records that are not for one path: an HTTP challenge names a realm, and no path of a repository.
        case none
        /// Records for this path, without its first slash, and no other record.
        case only(String)
        /// Records with and without a path.
        case any
    }

    /// Who asks.
    public var party: CredentialSpace.Party
    /// Scheme, host and port of who asks.
    public var origin: Origin
    /// The realm of the challenge; `nil` for a challenge without one.
    public var realm: String?
    /// The user to find; `nil` for any.
    public var user: String?
    /// The domain to find; `nil` for any, empty for accounts without a domain and for those with an empty one.
    public var domain: String?
    /// The kind to find; `nil` for any.
    public var kind: CredentialKind?
    /// The paths to find.
    public var paths: Paths

    /// Asks for the credentials that apply to a challenge; the further parameters leave out some of them.
    public init(
        origin: Origin,
        party: CredentialSpace.Party = .origin,
        realm: String? = nil,
        user: String? = nil,
        domain: String? = nil,
        kind: CredentialKind? = nil,
        paths: Paths = .none
    ) {
        self.party = party
        self.origin = origin
        self.realm = realm
        self.user = user
        self.domain = domain
        self.kind = kind
        self.paths = paths
    }

    /// Where a store looks for records.
    var place: CredentialSpace.Place { CredentialSpace.Place(party, origin) }

    /// Whether a credential of this name answers the challenge.
    func isMatched(by name: CredentialName) -> Bool {
        let space = name.space
        guard space.place == place else { return false }
        let applies =
            switch space.reach {
            case .host: true
            case .origin, .path: space.origin.port == origin.port
            case .realm: space.origin.port == origin.port && isSame(space.realm, realm)
            }
        guard applies, paths.contain(space.path) else { return false }
        if let user, !isSame(user, name.user) { return false }
        if let domain, !isSame(domain, name.domain ?? "") { return false }
        return kind.map { isSame($0.rawValue, name.kind.rawValue) } ?? true
    }

    /// Those of `records` that answer the challenge at `now`, in seconds since 1970: the narrowest first, of equally wide ones the
    /// newest first. Every store answers with this function.
    public func answers(among records: [StoredCredential], at now: Int64) -> [StoredCredential] {
        let answers = records.filter { $0.isValid(at: now) && isMatched(by: $0.name) }
        guard answers.count > 1 else { return answers }
        return answers.map { (key: $0.name.encoded, record: $0) }
            .sorted { left, right in
                let (narrow, wide) = (left.record.name.space.reach.rawValue, right.record.name.space.reach.rawValue)
                if narrow != wide { return narrow < wide }
                if left.record.created != right.record.created { return left.record.created > right.record.created }
                return left.key.lexicographicallyPrecedes(right.key)
            }
            .map(\.record)
    }
}

extension CredentialQuery.Paths {
    /// Whether the path of a space is one of these; `nil` for a space that is not for one path.
    func contain(_ path: String?) -> Bool {
        switch self {
        case .none: path == nil
        case .only(let wanted): isSame(path, wanted)
        case .any: true
        }
    }
}
