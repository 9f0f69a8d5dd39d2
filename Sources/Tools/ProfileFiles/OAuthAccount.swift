public import ChallengeHandling
public import CredentialSources
internal import Credentials
internal import HTTPAuthentication
public import Hostnames
public import OAuth

/// An account of a profile whose tokens come from an OAuth service.
public struct OAuthAccount: Sendable {
    /// How tokens come.
    public enum Grant: String, Sendable, CaseIterable {
        /// The user signs in with a browser on this machine.
        case code
        /// The user signs in with a browser on another device.
        case device
        /// The application signs in itself.
        case clientCredentials = "client-credentials"
    }

    /// How the application proves itself at the service.
    public enum Proof: Sendable {
        /// Not at all: it cannot keep a secret.
        case none
        /// By a secret in a field (`client_secret_basic`) or, with `inBody`, in the body (`client_secret_post`).
        case secret(SecretSource, inBody: Bool)
    }

    /// Where the secret of the application lies.
    public enum SecretSource: Sendable {
        /// Outside of the store.
        case place(CredentialPlace)
        /// In the sealed store.
        case store
    }

    /// The name of the account.
    public let name: String
    /// The rules for where its tokens go.
    public let sites: [String]
    /// Whether its tokens may go without TLS.
    public var allowsCleartext = false
    /// The service; `nil` for the one that the account's resource names (RFC 9728).
    public var issuer: ServiceURL?
    /// The identifier of the application at the service.
    public var client: String
    /// How the application proves itself.
    public var proof: Proof
    /// How tokens come.
    public var grant: Grant
    /// What the tokens are for.
    public var wish: OAuthClient.Wish
    /// The redirect that the application has registered; `nil` for the standard one.
    public var redirect: String?
}

/// What a profile file holds.
public struct ProfileContents: Sendable {
    /// The rules, with the accounts whose secrets the profile names.
    public let compiled: CompiledProfile
    /// The accounts whose tokens come from OAuth services, in the order of the file.
    public let oauthAccounts: [OAuthAccount]
    /// The client certificates, and where their keys are. ``compiled`` has those in PEM.
    public let identities: [ProfileIdentity]
    /// Where reports of pin failures go; `nil` for nowhere.
    public let pinReports: ServiceURL?
    /// The rules with a placeholder for each OAuth account.
    let withPlaceholders: CompiledProfile

    /// The OAuth account that decides for a URL; `nil` if another account does, or none.
    public func oauthAccount(for origin: Origin, path: String) -> OAuthAccount? {
        let space = ProtectionSpace(origin: origin, path: path, kind: .http(schemes: [], party: .origin))
        let name = ChallengeHandler(withPlaceholders).account(for: space)?.name
        return oauthAccounts.first { $0.name == name }
    }
}
