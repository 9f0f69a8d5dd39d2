import NTLM

/// The snippets of NTLM.md.
enum NTLMSnippet {
    static func client(_ password: String, now: FileTime, send: ([UInt8]) async throws -> [UInt8]) async throws
        -> [UInt8]
    {
        let account = try NTLMAccount(parsing: "ACME\\ada", hash: NTHash(password: password))
        var handshake = ClientHandshake(account: account, options: .init(targetName: "HTTP/wiki.acme.example"))
        let challenge = try await send(handshake.negotiate())  // and receive, on the connection of the handshake
        let authenticate = try handshake.authenticate(challenge: challenge.span, now: now)
        return authenticate
    }

    static func server(
        _ negotiate: [UInt8],
        _ hashes: [String: NTHash],
        _ window: ReplayWindow,
        now: FileTime,
        send: ([UInt8]) async throws -> [UInt8]
    ) async throws -> VerifiedClient {
        var server = ServerHandshake(options: .init(computerName: "WIKI", replayWindow: window))
        let challenge = try server.challenge(to: negotiate.span, now: now)
        let authenticate = try await send(challenge)  // and receive, on the connection of the handshake
        let client = try server.verify(authenticate: authenticate.span, now: now) { user, domain in hashes[user] }
        return client
    }
}
