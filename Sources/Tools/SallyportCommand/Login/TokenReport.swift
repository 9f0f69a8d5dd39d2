internal import Hostnames
internal import OAuth
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import Secrets
internal import WireFormat

/// What is shown of an account's tokens.
struct TokenReport: Sendable {
    private let account: OAuthAccount
    private let kept: KeptToken?
    /// When the token was granted, in seconds since 1970.
    private let granted: Int64?
    private let hasRefresh: Bool

    init(_ account: OAuthAccount, _ kept: KeptToken?, granted: Int64?, hasRefresh: Bool) {
        (self.account, self.kept, self.granted, self.hasRefresh) = (account, kept, granted, hasRefresh)
    }

    /// Whether a request has a token, now or after a refresh.
    var isSignedIn: Bool { hasRefresh || account.grant == .clientCredentials || state == "valid" }

    private var state: String {
        guard let kept else { return "none" }
        return kept.access.isValid(at: SystemClock.unixSeconds) ? "valid" : "ended"
    }

    /// As the service says, otherwise as asked for.
    private var scope: String? { kept?.access.scope ?? account.wish.scope }
    /// As the profile writes it: without the slash of an empty path.
    private var issuer: String? {
        account.issuer.map { $0.path == "/" ? "\($0.origin)" : "\($0)" }
    }

    var sentence: String {
        let end = kept?.access.expiry.map { "until \(Timestamp.text(unixSeconds: $0))" } ?? "without a named end"
        let scope = scope.map { ", scope \($0.inOneLine)" } ?? ""
        let renewal =
            account.grant == .clientCredentials
            ? ", renewed by the client's secret"
            : hasRefresh ? ", renewed by a refresh token" : ", and no refresh token"
        return "'\(account.name.inOneLine)' at \((issuer ?? "").inOneLine): a token \(end)\(scope)\(renewal)"
    }

    /// Names and values in lines.
    func text(reveal: Bool) -> String {
        var lines = [("account", account.name.inOneLine), ("issuer", issuer?.inOneLine ?? "none")]
        lines.append(("client", account.client.inOneLine))
        lines.append(("token", state))
        if let granted, kept != nil { lines.append(("granted", Timestamp.text(unixSeconds: granted))) }
        if let kept {
            lines.append(("ends", kept.access.expiry.map(Timestamp.text(unixSeconds:)) ?? "the service does not say"))
        }
        lines.append(("scope", scope?.inOneLine ?? "the service's choice"))
        for resource in account.wish.resources { lines.append(("resource", "\(resource)")) }
        lines.append(("sites", account.sites.joined(separator: " ").inOneLine))
        lines.append(("refresh token", hasRefresh ? "yes" : "no"))
        if reveal, let kept { lines.append(("secret", kept.revealed)) }
        let width = lines.map(\.0.count).max() ?? 0
        return lines.map { $0 + String(repeating: " ", count: width + 2 - $0.count) + $1 + "\n" }.joined()
    }

    func json(reveal: Bool) -> String {
        var members: [(name: String, value: JSONValue)] = [
            ("account", .string(account.name)), ("issuer", JSONValue(issuer)), ("client", .string(account.client)),
            ("token", .string(state)),
            ("granted", JSONValue(kept == nil ? nil : granted.map(Timestamp.text(unixSeconds:)))),
            ("ends", JSONValue(kept?.access.expiry.map(Timestamp.text(unixSeconds:)))), ("scope", JSONValue(scope)),
            ("resources", .array(account.wish.resources.map { .string("\($0)") })),
            ("sites", .array(account.sites.map(JSONValue.string))),
            ("refresh", .string(hasRefresh ? "yes" : "no")),
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
