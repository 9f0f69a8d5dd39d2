public import Hostnames

/// Where a stored credential applies.
///
/// A space never crosses the scheme, so a password that was stored for `https` is not found for `http`; and never the party,
/// so a proxy does not get the password of an origin on the same host.
public struct CredentialSpace: Hashable, Sendable {
    /// Who asks for the credential.
    public enum Party: UInt8, Hashable, Sendable, CaseIterable {
        /// The server of the URL.
        case origin = 0
        /// A proxy on the way.
        case proxy = 1
    }

    /// How widely a credential applies. A lower number is used before a higher one.
    public enum Reach: UInt8, Hashable, Sendable, CaseIterable {
        /// One realm of one origin; also the challenges without a realm, if the space has none.
        case realm = 0
        /// All realms of one scheme, host and port.
        case origin = 1
        /// All ports of one scheme and host.
        case host = 2
        /// One path of one origin. Only a question that names this path, or any path, finds it: see ``CredentialQuery/Paths``.
        case path = 3
    }

    /// Who asks.
    public let party: Party
    /// How widely it applies.
    public let reach: Reach
    /// Scheme, host and port of the party. The port is the scheme's own one if ``reach`` is the host.
    public let origin: Origin
    /// The realm if ``reach`` is one realm; `nil` for challenges without a realm, and for wider spaces.
    public let realm: String?
    /// The path if ``reach`` is one path, as Git names it: without its first slash, such as `acme/wiki.git`.
    public let path: String?

    /// One realm of an origin, or its challenges without a realm.
    public static func realm(_ realm: String?, of origin: Origin, party: Party = .origin) -> CredentialSpace {
        CredentialSpace(party: party, reach: .realm, origin: origin, realm: realm)
    }

    /// All realms of an origin.
    public static func origin(_ origin: Origin, party: Party = .origin) -> CredentialSpace {
        CredentialSpace(party: party, reach: .origin, origin: origin)
    }

    /// All ports of a host, with one scheme.
    public static func host(_ host: Hostname, scheme: Scheme, party: Party = .origin) -> CredentialSpace {
        CredentialSpace(party: party, reach: .host, origin: Origin(scheme: scheme, host: host))
    }

    /// One path of an origin, byte by byte: a path below it has another record.
    ///
    /// - Parameters:
    ///   - path: the path without its first slash.
    ///   - origin: the origin.
    ///   - party: who challenges.
    public static func path(_ path: String, of origin: Origin, party: Party = .origin) -> CredentialSpace {
        CredentialSpace(party: party, reach: .path, origin: origin, path: path)
    }

    private init(party: Party, reach: Reach, origin: Origin, realm: String? = nil, path: String? = nil) {
        self.party = party
        self.reach = reach
        self.origin = origin
        self.realm = realm
        self.path = path
    }
}

extension CredentialSpace {
    /// What every space of a host shares; records are indexed by it.
    struct Place: Hashable {
        let party: Party
        let scheme: Scheme
        let host: Hostname

        init(_ party: Party, _ origin: Origin) {
            self.party = party
            scheme = origin.scheme
            host = origin.host
        }

        /// Party, scheme and host as one text, for a keyed hash.
        var encoded: [UInt8] { [party.rawValue] + "\(scheme.rawValue)://\(host)".utf8 }
    }

    /// The place of this space.
    var place: Place { Place(party, origin) }
}
