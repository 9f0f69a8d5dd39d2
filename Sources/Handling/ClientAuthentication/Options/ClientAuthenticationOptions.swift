public import HTTPAuthentication
public import NTLM
public import Negotiate

/// What a server or proxy offers its clients, and its bounds.
public struct ClientAuthenticationOptions: Sendable {
    /// Who asks: an origin server (401) or a proxy (407).
    public var party: ChallengedParty
    /// The name of the protected area, which clients show to their user. Digest signs it.
    public var realm: String
    /// The schemes to offer, in this order.
    public var schemes: [ClientScheme]
    /// The names of this server for NTLM, also inside Negotiate, and the rules for its clients. Its channel bindings count for
    /// Kerberos too.
    public var ntlm: ServerHandshake.Options
    /// What checks tickets of Kerberos inside Negotiate: ``KerberosKeytab``. `nil` leaves Kerberos out.
    public var kerberos: (any SystemMessageVerifier)?
    /// Whether Negotiate takes NTLM.
    public var negotiatesNTLM: Bool
    /// Whether Basic is offered on a connection without TLS, where others may read the password.
    public var allowsCleartextBasic: Bool
    /// How long a Digest nonce may be used.
    public var nonceSeconds: Int64
    /// How many wrong passwords are taken.
    public var guesses: GuessRules

    /// Makes options.
    ///
    /// - Parameters:
    ///   - party: `.origin` or `.proxy`.
    ///   - realm: the name of the protected area, in visible ASCII.
    ///   - schemes: the schemes to offer, in this order; strong ones first.
    ///   - ntlm: the names of this server for NTLM, and the rules for its clients.
    ///   - kerberos: what checks tickets of Kerberos inside Negotiate.
    ///   - negotiatesNTLM: whether Negotiate takes NTLM.
    ///   - allowsCleartextBasic: whether Basic is offered on a connection without TLS.
    ///   - nonceSeconds: how long a Digest nonce may be used.
    ///   - guesses: how many wrong passwords are taken.
    /// - Precondition: `realm` has 1 to 256 characters, all visible ASCII or blanks, without quote and backslash; `schemes` is
    ///   not empty.
    public init(
        party: ChallengedParty,
        realm: String,
        schemes: [ClientScheme] = [.digestSHA256, .digestMD5, .basic],
        ntlm: ServerHandshake.Options = ServerHandshake.Options(computerName: "SERVER"),
        kerberos: (any SystemMessageVerifier)? = nil,
        negotiatesNTLM: Bool = true,
        allowsCleartextBasic: Bool = false,
        nonceSeconds: Int64 = 300,
        guesses: GuessRules = GuessRules()
    ) {
        precondition(
            Self.isRealm(realm),
            "a realm is 1 to 256 visible ASCII characters without quotes and backslashes"
        )
        precondition(!schemes.isEmpty, "a server that asks for authentication offers a scheme")
        self.party = party
        self.realm = realm
        self.schemes = schemes
        self.ntlm = ntlm
        self.kerberos = kerberos
        self.negotiatesNTLM = negotiatesNTLM
        self.allowsCleartextBasic = allowsCleartextBasic
        self.nonceSeconds = max(1, nonceSeconds)
        self.guesses = guesses
    }

    /// Whether clients can be asked for the realm.
    package static func isRealm(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }
}
