import HTTPAuthentication
import NTLM
import WireFormat

/// Challenges that a server of this package makes.
enum TestChallenge {
    /// A CHALLENGE in base64, for any NEGOTIATE of this package's client.
    static func ntlm() throws -> String {
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: "x"))
        var client = ClientHandshake(account: account, options: .init(targetName: "HTTP/wiki.acme.example"))
        var server = ServerHandshake(options: .init(computerName: "WIKI", domainName: "ACME"))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: .now)
        return Base64.encode(challenge.span)
    }
}
