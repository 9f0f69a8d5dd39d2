/// Why a text is no account name.
public enum AccountError: Error, Equatable, Sendable {
    /// Nothing is left for the user: anonymous NTLM is not spoken here.
    case userMissing
    /// The user or the domain has more UTF-16 units than any account.
    case nameTooLong(units: Int, limit: Int)
}

extension AccountError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .userMissing:
            "the account has no user name: write DOMAIN\\user, user@realm or user"
        case .nameTooLong(let units, let limit):
            "user or domain of \(units) UTF-16 units: no more than \(limit) are possible; check what was read"
        }
    }
}

/// Who a client says it is, with the key that proves it.
public struct NTLMAccount: Sendable {
    /// The user as typed; with its realm when it was typed as `user@realm`.
    public let user: String
    /// The NetBIOS or DNS domain as typed; empty for a local account or a `user@realm`.
    public let domain: String
    // Made once here, so that every handshake starts from prepared chaining values.
    let identity: PreparedIdentity

    /// Takes user and domain apart from each other.
    ///
    /// - Throws: `userMissing` for an empty user, `nameTooLong` above 256 UTF-16 units in either name.
    /// - Complexity: O(*n*) in the length of both names.
    public init(user: String, domain: String = "", hash: NTHash) throws(AccountError) {
        guard !user.isEmpty else { throw .userMissing }
        let units = max(user.utf16.count, domain.utf16.count)
        guard units <= NTLMLimits.nameUnits else { throw .nameTooLong(units: units, limit: NTLMLimits.nameUnits) }
        self.user = user
        self.domain = domain
        identity = PreparedIdentity(hash: hash, user: user, domain: domain)
    }

    /// Takes a name as people type it: `DOMAIN\user`, `user@realm` or `user`.
    ///
    /// A `user@realm` stays whole and has an empty domain, as Windows sends it. The first backslash parts domain from
    /// user.
    public init(parsing name: String, hash: NTHash) throws(AccountError) {
        if let backslash = name.firstIndex(of: "\\") {
            let user = String(name[name.index(after: backslash)...])
            try self.init(user: user, domain: String(name[..<backslash]), hash: hash)
        } else {
            try self.init(user: name, hash: hash)
        }
    }

    /// Whether the name says where the account lives.
    var namesDomain: Bool { !domain.isEmpty || user.contains("@") }
}

extension NTLMAccount: CustomStringConvertible, CustomReflectable {
    /// The name, never the key.
    public var description: String { domain.isEmpty ? user : "\(domain)\\\(user)" }

    /// The names only.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "domain": domain]) }
}
