/// Why a text is not a valid account name.
public enum AccountError: Error, Equatable, Sendable {
    /// The user name is empty; anonymous NTLM is not supported.
    case userMissing
    /// The user or the domain has more UTF-16 units than `NTLMLimits.nameUnits`.
    case nameTooLong(units: Int, limit: Int)
}

extension AccountError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .userMissing:
            "the account has no user name: write DOMAIN\\user, user@realm or user"
        case .nameTooLong(let units, let limit):
            "user or domain of \(units) UTF-16 units: at most \(limit) are allowed; check the name"
        }
    }
}

/// A user, its domain, and the response key made from its password.
public struct NTLMAccount: Sendable {
    /// The user as typed; a `user@realm` keeps its realm.
    public let user: String
    /// The NetBIOS or DNS domain as typed; empty for a local account or a `user@realm`.
    public let domain: String
    /// Whether the account has said that it has no domain: then a server of a domain gets an answer too.
    private let isWithoutDomain: Bool
    // Prepared once, so that no handshake derives the key again.
    let identity: PreparedLogOn

    /// Takes user and domain as separate values.
    ///
    /// - Parameters:
    ///   - user: the user as typed.
    ///   - domain: the domain as typed. With `nil` an answer to a server of a domain is refused, because the domain was probably forgotten;
    ///     an empty text says that the account has no domain.
    ///   - hash: of the password.
    /// - Throws: `userMissing` for an empty user, `nameTooLong` above 256 UTF-16 units in either name.
    /// - Complexity: O(*n*) in the length of both names.
    public init(user: String, domain: String? = nil, hash: NTHash) throws(AccountError) {
        isWithoutDomain = domain == ""
        let domain = domain ?? ""
        guard !user.isEmpty else { throw .userMissing }
        let units = max(user.utf16.count, domain.utf16.count)
        guard units <= NTLMLimits.nameUnits else { throw .nameTooLong(units: units, limit: NTLMLimits.nameUnits) }
        self.user = user
        self.domain = domain
        identity = PreparedLogOn(hash: hash, user: user, domain: domain)
    }

    /// Takes a name in one of three forms: `DOMAIN\user`, `user@realm` or `user`. `\user` says that the account has no domain.
    ///
    /// A `user@realm` becomes the user name with an empty domain, as Windows sends it. The first backslash separates
    /// domain and user.
    public init(parsing name: String, hash: NTHash) throws(AccountError) {
        if let backslash = name.firstIndex(of: "\\") {
            let user = String(name[name.index(after: backslash)...])
            try self.init(user: user, domain: String(name[..<backslash]), hash: hash)
        } else {
            try self.init(user: name, hash: hash)
        }
    }

    /// Whether it is known which domain or realm the account has, or that it has none.
    var isComplete: Bool { isWithoutDomain || !domain.isEmpty || user.contains("@") }
}

extension NTLMAccount: CustomStringConvertible, CustomReflectable {
    /// The name without the key.
    public var description: String { domain.isEmpty ? user : "\(domain)\\\(user)" }

    /// User and domain without the key.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "domain": domain]) }
}
