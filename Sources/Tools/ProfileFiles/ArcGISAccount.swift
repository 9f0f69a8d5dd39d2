public import CredentialSources
public import OAuth

/// An account of a profile whose tokens open ArcGIS servers.
public struct ArcGISAccount: Sendable {
    /// How tokens come.
    public enum Way: Sendable {
        /// By `generateToken` for a user. Without the place of a password the user signs in, and signs in again at the token's end.
        case user(String, password: CredentialPlace?)
        /// By the token of the account with this name, for the server of this URL, which is federated with its portal.
        case federated(with: String, server: ServiceURL)
        /// It was generated elsewhere; its end is in seconds since 1970.
        case token(CredentialPlace, ends: Int64?)
    }

    /// The lifetimes in minutes that can be asked for: up to fifteen days.
    public static let minutesRange = 1...21_600

    /// The name of the account.
    public let name: String
    /// The rules for where its tokens go.
    public let sites: [String]
    /// Whether its tokens may go without TLS.
    public var allowsCleartext = false
    /// The portal, or the token service of a server that stands alone; that of the other account for a federated server, `nil` for a
    /// token that was generated elsewhere.
    public var portal: ArcGISPortal?
    /// How tokens come.
    public var way: Way
    /// The `Referer` that the tokens are for; `nil` for requests of this machine's address.
    public var referer: String?
    /// The lifetime to ask for.
    public var minutes = 60

    /// Whom the tokens serve.
    public var client: ArcGISPortal.Client { referer.map { .referer($0) } ?? .requestAddress }

    /// Whose tokens a store keeps: those of another user are not used.
    public var owner: String {
        switch way {
        case .user(let user, password: _): "user \(user)"
        case .federated(let account, let server): "server \(server) by \(account)"
        case .token: ""
        }
    }
}
