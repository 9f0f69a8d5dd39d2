public import Hostnames

/// A challenge that needs a user name and a password.
public struct CredentialQuestion: Hashable, Sendable {
    /// Who asks.
    public enum Party: String, Hashable, Sendable, CaseIterable {
        /// The server of the URL.
        case server
        /// A proxy on the way.
        case proxy
    }

    /// Scheme, host and port of who asks.
    public var origin: Origin
    /// Who asks.
    public var party: Party
    /// The realm of the challenge, as the party sent it; `nil` for a challenge without one.
    public var realm: String?
    /// The path of the request, with its slash at the start; `nil` if it does not matter.
    public var path: String?
    /// The user name if it is known, as `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
    public var user: String?
    /// Whether the party refused a password before, or the account has a ``problem``. A source that has only one password then has nothing.
    public var wasRefused: Bool
    /// Why no scheme can use the account that was given before; `nil` if no account was given, or if the party refused the password.
    public var problem: AccountProblem?

    /// Makes a question.
    public init(
        origin: Origin,
        party: Party = .server,
        realm: String? = nil,
        path: String? = nil,
        user: String? = nil,
        wasRefused: Bool = false,
        problem: AccountProblem? = nil
    ) {
        self.origin = origin
        self.party = party
        self.realm = realm
        self.path = path
        self.user = user
        self.wasRefused = wasRefused
        self.problem = problem
    }
}
