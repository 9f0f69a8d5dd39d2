import NTLM

/// The snippet of GuideToNTLM.md.
enum GuideToNTLMSnippet {
    static func handshake(password: String, hashes: [String: NTHash], now: FileTime) throws -> VerifiedClient {
        var client = ClientHandshake(
            account: try NTLMAccount(parsing: "ACME\\ada", hash: NTHash(password: password)),
            options: .init(targetName: "HTTP/wiki.acme.example")
        )
        var server = ServerHandshake(options: .init(computerName: "WIKI", domainName: "ACME"))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: now)
        let authenticate = try client.authenticate(challenge: challenge.span, now: now)
        let visitor = try server.verify(authenticate: authenticate.span, now: now) { user, domain in hashes[user] }
        print(visitor.domain, visitor.user)
        return visitor
    }
}
