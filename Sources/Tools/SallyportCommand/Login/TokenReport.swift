internal import Hostnames
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import Secrets
internal import WireFormat

/// What is shown of an account's tokens.
struct TokenReport: Sendable {
    private let account: TokenAccount
    private let kept: KeptToken?
    /// When the token was granted, in seconds since 1970.
    private let granted: Int64?
    /// When the user signed in; `nil` if it is not known.
    private let signIn: Int64?
    private let hasRefresh: Bool

    init(_ account: TokenAccount, _ kept: KeptToken?, granted: Int64?, signIn: Int64?, hasRefresh: Bool) {
        (self.account, self.kept, self.granted, self.hasRefresh) = (account, kept, granted, hasRefresh)
        self.signIn = signIn
    }

    /// Whether a request has a token, now or after a renewal.
    var isSignedIn: Bool { !hasEnded && (hasRefresh || renewal != nil || !account.needsStore || state == "valid") }

    private var oauth: OAuthAccount? {
        if case .oauth(let account) = account { account } else { nil }
    }

    /// What renews the token without a refresh token; `nil` for nothing.
    private var renewal: String? {
        switch account {
        case .oauth(let account):
            guard account.grant == .clientCredentials else { return nil }
            return switch account.proof {
            case .key: "by the client's key"
            case .certificate: "by the client's certificate"
            default: "by the client's secret"
            }
        case .arcGIS(let account):
            return switch account.way {
            case .user(_, password: nil), .token: nil
            case .user: "by the password of the profile"
            case .federated(let name, _): "by the token of '\(name.inOneLine)'"
            }
        }
    }

    /// When the user has to sign in again; `nil` without a limit.
    private var end: Int64? { signIn.flatMap { signIn in oauth?.signedInSeconds.map { signIn + $0 } } }
    private var hasEnded: Bool { end.map { $0 <= SystemClock.unixSeconds } ?? false }

    private var state: String {
        guard let kept else { return account.needsStore ? "none" : "that of the profile" }
        return kept.access.isValid(at: SystemClock.unixSeconds) && !hasEnded ? "valid" : "ended"
    }

    /// How the token is shown to servers; `nil` without one in the store.
    private var kind: String? {
        kept.map { $0.thumbprint.map { "DPoP, bound to the key \($0)" } ?? "Bearer" }
    }

    /// As the service says, otherwise as asked for.
    private var scope: String? { kept?.access.scope ?? oauth?.wish.scope }

    var sentence: String {
        let end = kept?.access.expiry.map { "until \(Timestamp.text(unixSeconds: $0))" } ?? "without a named end"
        let scope = scope.map { ", scope \($0.inOneLine)" } ?? ""
        let renewal =
            self.renewal.map { ", renewed \($0)" }
            ?? (hasRefresh ? ", renewed by a refresh token" : ", and no refresh token")
        let binding = kept?.access.kind == .dpop ? ", bound to a key" : ""
        let limit = self.end.map { "; sign in again at \(Timestamp.text(unixSeconds: $0))" } ?? ""
        return
            "'\(account.name.inOneLine)' at \((account.service ?? "").inOneLine): a token \(end)\(binding)\(scope)\(renewal)\(limit)"
    }

    /// Names and values in lines.
    func text(reveal: Bool) -> String {
        var lines = [("account", account.name.inOneLine), ("issuer", account.service?.inOneLine ?? "none")]
        if let oauth { lines.append(("client", oauth.client.inOneLine)) }
        lines.append(("token", state))
        if let kind { lines.append(("kind", kind)) }
        if let granted, kept != nil { lines.append(("granted", Timestamp.text(unixSeconds: granted))) }
        if let kept {
            lines.append(("ends", kept.access.expiry.map(Timestamp.text(unixSeconds:)) ?? "the service does not say"))
        }
        lines.append(("scope", scope?.inOneLine ?? "the service's choice"))
        if let end { lines.append(("sign in again", Timestamp.text(unixSeconds: end))) }
        for resource in oauth?.wish.resources ?? [] { lines.append(("resource", "\(resource)")) }
        lines.append(("sites", account.sites.joined(separator: " ").inOneLine))
        lines.append(("refresh token", hasRefresh ? "yes" : "no"))
        if reveal, let kept { lines.append(("secret", kept.revealed)) }
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { $0 + String(repeating: " ", count: width + 2 - $0.count) + $1 + "\n" }.joined()
    }

    func json(reveal: Bool) -> String {
        var members: [(name: String, value: JSONValue)] = [
            ("account", .string(account.name)), ("issuer", JSONValue(account.service)),
            ("client", JSONValue(oauth?.client)),
            ("token", .string(state)), ("kind", JSONValue(kept.map { $0.access.kind == .dpop ? "DPoP" : "Bearer" })),
            ("thumbprint", JSONValue(kept?.thumbprint)),
            ("granted", JSONValue(kept == nil ? nil : granted.map(Timestamp.text(unixSeconds:)))),
            ("ends", JSONValue(kept?.access.expiry.map(Timestamp.text(unixSeconds:)))), ("scope", JSONValue(scope)),
            ("resources", .array((oauth?.wish.resources ?? []).map { .string("\($0)") })),
            ("sites", .array(account.sites.map(JSONValue.string))),
            ("refresh", .string(hasRefresh ? "yes" : "no")),
            ("signInEnds", JSONValue(end.map(Timestamp.text(unixSeconds:)))),
        ]
        if reveal, let kept { members.append(("secret", .string(kept.revealed))) }
        return JSONValue.object(members).text + "\n"
    }
}

extension KeptToken {
    /// The token as a text, for a person who asks for it.
    fileprivate var revealed: String {
        access.secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
