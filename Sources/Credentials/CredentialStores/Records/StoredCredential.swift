public import Credentials
public import Secrets

/// A credential as a store keeps it.
public struct StoredCredential: Sendable {
    /// Where it applies, whose it is, and what it is.
    public let name: CredentialName
    /// The secret; 1 to ``CredentialLimits/secretBytes`` bytes.
    public let secret: SharedSecret
    /// When it was stored, in seconds since 1970.
    public let created: Int64
    /// When it expires, in seconds since 1970; `nil` for never. An expired one is not returned.
    public let expires: Int64?

    /// Makes a record; a store checks its bounds.
    public init(name: CredentialName, secret: SharedSecret, created: Int64, expires: Int64? = nil) {
        self.name = name
        self.secret = secret
        self.created = created
        self.expires = expires
    }

    /// Makes a record of what an account proves itself with.
    ///
    /// - Returns: `nil` for a ticket or a client certificate, whose secret lies elsewhere.
    public init?(_ account: Account, in space: CredentialSpace, created: Int64, expires: Int64? = nil) {
        guard let (kind, secret) = CredentialKind.of(account.credential) else { return nil }
        let name = CredentialName(space: space, user: account.user, domain: account.domain, kind: kind)
        self.init(name: name, secret: secret, created: created, expires: expires)
    }

    /// What an account proves itself with; `nil` for a kind that is not sent to a server, or that this version does not know.
    public var credential: Credential? { name.kind.credential(with: secret) }

    /// Whether it may still be used at `now`.
    func isValid(at now: Int64) -> Bool { expires.map { $0 > now } ?? true }

    /// Why no store keeps this record; `nil` if it is within the bounds of ``CredentialLimits``. For stores of applications.
    public var problem: CredentialStoreError.Problem? {
        if let problem = name.problem { return problem }
        if secret.count == 0 { return .emptySecret }
        guard secret.count > CredentialLimits.secretBytes else { return nil }
        return .tooLong(.secret, bytes: secret.count, limit: CredentialLimits.secretBytes)
    }

    /// The record without its secret.
    public var listing: CredentialListing { CredentialListing(name: name, created: created, expires: expires) }
}

extension StoredCredential: CustomStringConvertible, CustomReflectable {
    /// The kind and the origin, without user and secret.
    public var description: String { "<\(name.kind.rawValue) for \(name.space.origin)>" }

    /// The name and the dates, without the secret.
    public var customMirror: Mirror { Mirror(reflecting: listing) }
}

/// A stored credential without its secret.
public struct CredentialListing: Hashable, Sendable {
    /// Where it applies, whose it is, and what it is.
    public let name: CredentialName
    /// When it was stored, in seconds since 1970.
    public let created: Int64
    /// When it expires, in seconds since 1970; `nil` for never. An expired one is not returned.
    public let expires: Int64?

    /// Makes an entry of a list.
    public init(name: CredentialName, created: Int64, expires: Int64?) {
        self.name = name
        self.created = created
        self.expires = expires
    }
}

extension [CredentialListing] {
    /// In the order of the names' bytes, which is the same in every store.
    func inOrderOfNames() -> [CredentialListing] {
        map { (key: $0.name.encoded, listing: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map(\.listing)
    }
}
