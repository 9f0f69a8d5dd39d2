public import ChallengeHandling
internal import Credentials
internal import HTTPAuthentication
public import Hostnames
public import OAuth
internal import Secrets

/// What a profile file holds.
public struct ProfileContents: Sendable {
    /// The rules, with the accounts whose secrets the profile names.
    public let compiled: CompiledProfile
    /// The accounts whose tokens come from services, in the order of the file.
    public let tokenAccounts: [TokenAccount]
    /// The client certificates, and where their keys are. ``compiled`` has those in PEM.
    public let identities: [ProfileIdentity]
    /// Where reports of pin failures go; `nil` for nowhere.
    public let pinReports: ServiceURL?
    /// The rules with a placeholder for each of ``tokenAccounts``.
    let withPlaceholders: CompiledProfile

    /// The account with tokens that answers challenges of a URL; `nil` if another account does, or none.
    public func tokenAccount(for origin: Origin, path: String) -> TokenAccount? {
        let space = ProtectionSpace(origin: origin, path: path, kind: .http(schemes: [], party: .origin))
        return tokenAccount(named: ChallengeHandler(withPlaceholders).account(for: space)?.name)
    }

    /// The account whose tokens go along with requests to a URL, besides the answers; `nil` if there is none, or its token is the profile's.
    public func placedTokenAccount(for origin: Origin, path: String) -> TokenAccount? {
        tokenAccount(named: placement(for: origin, path: path)?.assignment.account.name)
    }

    /// The account whose token goes along with requests to a URL, also one with a token of the profile, and its rule.
    package func placement(for origin: Origin, path: String) -> (assignment: AccountAssignment, rule: String)? {
        ChallengeHandler(withPlaceholders).placement(for: origin, path: path)
    }

    /// The rule of the account that answers challenges of a URL; `nil` without one.
    package func accountRule(for origin: Origin, path: String) -> String? {
        ChallengeHandler(withPlaceholders).accountRule(for: origin, path: path)
    }

    private func tokenAccount(named name: String?) -> TokenAccount? { tokenAccounts.first { $0.name == name } }
}

/// An account of a profile whose tokens come from a service.
public enum TokenAccount: Sendable {
    /// Of an OAuth service.
    case oauth(OAuthAccount)
    /// Of `generateToken` of an ArcGIS portal or server, or a token that was generated elsewhere.
    case arcGIS(ArcGISAccount)

    /// The name of the account.
    public var name: String {
        switch self {
        case .oauth(let account): account.name
        case .arcGIS(let account): account.name
        }
    }

    /// The rules for where its tokens go.
    public var sites: [String] {
        switch self {
        case .oauth(let account): account.sites
        case .arcGIS(let account): account.sites
        }
    }

    /// Whether its tokens may go without TLS.
    public var allowsCleartext: Bool {
        switch self {
        case .oauth(let account): account.allowsCleartext
        case .arcGIS(let account): account.allowsCleartext
        }
    }

    /// Where its tokens go with each request; `nil` for tokens that answer challenges.
    public var placement: TokenPlacement? {
        switch self {
        case .oauth(let account): account.placement
        case .arcGIS: nil
        }
    }

    /// The service as the profile writes it; `nil` if the profile does not name it, or has the token itself.
    public var service: String? {
        let url: ServiceURL? =
            switch self {
            case .oauth(let account): account.issuer
            case .arcGIS(let account): account.portal?.root
            }
        return url.map { $0.path == "/" ? "\($0.origin)" : "\($0)" }
    }

    /// The portal whose users or applications its tokens are for; `nil` for another service, and for a server.
    public var portal: ArcGISPortal? {
        switch self {
        case .oauth(let account): return account.dialect == .arcGIS ? account.issuer.map(ArcGISPortal.init(root:)) : nil
        case .arcGIS(let account):
            if case .user = account.way { return account.portal }
            return nil
        }
    }

    /// Whether a store keeps its tokens; `false` for a token of the profile.
    public var needsStore: Bool {
        if case .arcGIS(let account) = self, case .token = account.way { false } else { true }
    }

    /// An account of the same name and sites, to check both with the other accounts. It answers nothing.
    var placeholder: AccountAssignment {
        let account = Account(
            name: name,
            user: name,
            domain: nil,
            credential: .token(SharedSecret(utf8: name)),
            userForm: nil
        )
        var assignment = AccountAssignment(account, sites: sites, schemes: [.bearer], placement: placement)
        assignment.allowsCleartext = allowsCleartext
        return assignment
    }
}
