internal import Hostnames
internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport

/// What is known before the request about tokens.
extension Explanation {
    /// An account whose token answers.
    func token(of account: TokenAccount, for origin: Origin) -> ExplanationStep {
        let issuer = account.service
        return ExplanationStep(
            topic: "account",
            text:
                "'\(account.name.inOneLine)' for \(origin), with \(Self.token(of: account, issuer))",
            members: [("account", .string(account.name)), ("issuer", JSONValue(issuer))]
        )
    }

    private static func token(of account: TokenAccount, _ service: String?) -> String {
        if case .arcGIS(let account) = account, case .token = account.way { return "the token of the profile" }
        return "a token of \(service?.inOneLine ?? "a service that is not named"): that of the store, or the next one"
    }

    /// A token that goes along besides the answers; `nil` without one.
    func placedToken(
        at location: URLLocation,
        _ handler: ChallengeHandler,
        _ session: RequestSession
    ) -> ExplanationStep? {
        let placed = handler.placement(for: location.origin, path: location.path)
        // The token of a service is in no rule before it has come.
        let account = session.placedTokenAccount
        guard let placement = placed?.assignment.placement ?? account?.placement else { return nil }
        let name = placed?.assignment.account.name ?? account?.name ?? ""
        let allowsCleartext = placed?.assignment.allowsCleartext ?? account?.allowsCleartext ?? false
        let mayGo = location.origin.scheme == .https || allowsCleartext
        let reason = placed?.rule.map { ", by the rule \($0)" } ?? ""
        let referer = placement.referer.map { ", with the Referer \($0)" } ?? ""
        return ExplanationStep(
            topic: "token",
            text: mayGo
                ? "that of '\(name.inOneLine)' goes along in \(placement.position)\(reason)\(referer)"
                : "that of '\(name.inOneLine)' does not go to \(location.origin), because everyone on the path would read it: use https, "
                    + "or allow it with 'cleartext: true'",
            members: [
                ("account", .string(name)), ("placement", .string("\(placement.position)")),
                ("sent", .string(mayGo ? "yes" : "no")),
            ]
        )
    }
}
