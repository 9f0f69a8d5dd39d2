internal import Hostnames
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport

/// What is known before the request about tokens.
extension Explanation {
    /// An account whose token answers.
    func token(of account: TokenAccount, for origin: Origin, by rule: String) -> ExplanationStep {
        let issuer = account.service
        return ExplanationStep(
            topic: "account",
            text:
                "'\(account.name.inOneLine)' for \(origin), by the rule \(rule), with \(Self.token(of: account, issuer))",
            members: [("account", .string(account.name)), ("rule", .string(rule)), ("issuer", JSONValue(issuer))]
        )
    }

    private static func token(of account: TokenAccount, _ service: String?) -> String {
        if case .arcGIS(let account) = account, case .token = account.way { return "the token of the profile" }
        let isBound = if case .oauth(let account) = account { account.bindsTokens } else { false }
        return
            "a token \(isBound ? "that is bound to a key (DPoP) " : "")of \(service?.inOneLine ?? "a service that is not named"): that of the store, or the next one"
    }

    /// A token that goes along besides the answers; `nil` without one.
    func placedToken(at location: URLLocation, _ session: RequestSession) -> ExplanationStep? {
        guard let (assignment, rule) = session.placement, let placement = assignment.placement else { return nil }
        let (name, origin) = (assignment.account.name, location.origin)
        let mayGo = origin.scheme == .https || assignment.allowsCleartext
        let referer = placement.referer.map { ", with the Referer \($0)" } ?? ""
        return ExplanationStep(
            topic: "token",
            text: mayGo
                ? "that of '\(name.inOneLine)' goes along in \(placement.position), by the rule \(rule)\(referer)"
                : "that of '\(name.inOneLine)' does not go to \(origin), because everyone on the path would read it: use https, or allow it "
                    + "with 'cleartext: true'",
            members: [
                ("account", .string(name)), ("placement", .string("\(placement.position)")),
                ("rule", .string(rule)), ("sent", .string(mayGo ? "yes" : "no")),
            ]
        )
    }
}
