internal import Hostnames
internal import WireFormat

/// What tells one stored credential from the others: space, account and kind. It holds no secret.
///
/// Texts are compared byte by byte, because servers do.
public struct CredentialName: Sendable {
    /// Where it applies.
    public let space: CredentialSpace
    /// The user name without its domain; may be empty.
    public let user: String
    /// NetBIOS or DNS domain; `nil` for none, which is another name than an empty domain: an account with an empty one says that it
    /// has none, and one without a domain may lack it. Files of earlier versions hold no empty domain.
    public let domain: String?
    /// What the secret is.
    public let kind: CredentialKind

    /// Makes a name; a store checks its bounds.
    public init(space: CredentialSpace, user: String, domain: String? = nil, kind: CredentialKind = .password) {
        self.space = space
        self.user = user
        self.domain = domain
        self.kind = kind
    }

    /// The bytes that stand for this name in a sealed record and under a keyed hash: two names have the same bytes only if they
    /// are one name.
    ///
    /// ```
    /// 0  1  party: 0 origin, 1 proxy
    /// 1  1  reach: 0 realm, 1 origin, 2 host, 3 path
    /// 2  2  port
    /// 4     six texts: scheme, host, realm, user, domain, kind; a seventh, the path, only if the reach is a path.
    ///       Each has two bytes of length and its UTF-8 bytes; the length 0xFFFF means nil.
    /// ```
    ///
    /// Integers are little-endian.
    var encoded: [UInt8] {
        var bytes = [space.party.rawValue, space.reach.rawValue]
        bytes.append(littleEndian: space.origin.port)
        let scheme = space.origin.scheme.rawValue
        let path = space.path.map { [$0] } ?? []
        for text in [scheme, space.origin.host.description, space.realm, user, domain, kind.rawValue] + path {
            guard let text else {
                bytes.append(littleEndian: Self.lengthOfNil)
                continue
            }
            // In range: `problem` was checked, and every bound is below 65,535.
            bytes.append(littleEndian: UInt16(text.utf8.count))
            bytes += text.utf8
        }
        return bytes
    }

    static let lengthOfNil: UInt16 = 0xFFFF

    /// Why no store keeps this name; `nil` if it is within bounds.
    var problem: CredentialStoreError.Problem? {
        func excess(_ text: String?, _ limit: Int, _ field: CredentialStoreError.Field)
            -> CredentialStoreError.Problem?
        {
            guard let count = text?.utf8.count, count > limit else { return nil }
            return .tooLong(field, bytes: count, limit: limit)
        }
        return excess(user, CredentialLimits.userBytes, .user)
            ?? excess(domain, CredentialLimits.domainBytes, .domain)
            ?? excess(space.realm, CredentialLimits.realmBytes, .realm)
            ?? excess(space.path, CredentialLimits.pathBytes, .path)
            ?? (kind.isWellFormed ? nil : .malformedKind)
    }
}

extension CredentialName: Hashable {
    /// Whether both names have the same bytes.
    public static func == (left: CredentialName, right: CredentialName) -> Bool {
        left.space.origin == right.space.origin && left.space.party == right.space.party
            && left.space.reach == right.space.reach && isSame(left.space.realm, right.space.realm)
            && isSame(left.space.path, right.space.path)
            && isSame(left.user, right.user) && isSame(left.domain, right.domain)
            && isSame(left.kind.rawValue, right.kind.rawValue)
    }

    /// Hashes host and user.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(space.origin)
        hasher.combine(user)
    }
}

/// Whether two texts have the same bytes. `==` also takes a composed and a decomposed letter for the same.
func isSame(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.elementsEqual(other.utf8)
}
