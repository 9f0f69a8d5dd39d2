public import ChallengeHandling
public import CredentialSources
public import OAuth
public import Secrets

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
        /// By assertions that a key signs (`private_key_jwt`).
        case key(KeyFile)
        /// By the client certificate of the connection (`tls_client_auth`), which `identities` or an option names.
        case certificate
    }

    /// A private key of the application.
    public struct KeyFile: Sendable {
        /// The file: PEM or DER, RSA or on P-256.
        public let path: String
        /// Its passphrase; `nil` for a key that is not encrypted.
        public let passphrase: SharedSecret?
        /// The name of the key at the service; `nil` if it knows one key of the client.
        public let id: String?
        /// Whom assertions are for; `nil` for the issuer.
        public let audience: OAuthClient.Audience?
        /// How an RSA key signs: a name of RFC 7518; `nil` for RS256, and for a key on P-256.
        public let algorithm: String?
        /// What ``algorithm`` may be.
        static let algorithms = ["RS256", "PS256"]
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
    /// Where its tokens go with each request; `nil` for tokens that answer challenges.
    public var placement: TokenPlacement?
    /// The service; `nil` for the one that the account's resource names (RFC 9728). Of an ArcGIS portal it is the root of its REST interface.
    public var issuer: ServiceURL?
    /// What the messages of the service look like.
    public var dialect = OAuthClient.Dialect.standard
    /// The identifier of the application at the service.
    public var client: String
    /// How the application proves itself.
    public var proof: Proof
    /// How tokens come.
    public var grant: Grant
    /// Whether tokens are bound to a key that the store keeps (RFC 9449).
    public var bindsTokens = false
    /// What the tokens are for.
    public var wish: OAuthClient.Wish
    /// For how many seconds a person stays signed in; `nil` for no limit.
    public var signedInSeconds: Int64?
    /// The bounds of ``signedInSeconds``: a minute, and as long as a token is kept.
    public static let signedInRange = 60...TokenLimits.lifetime
    /// The redirect that the application has registered; `nil` for the standard one.
    public var redirect: String?
}
