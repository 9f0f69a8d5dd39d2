internal import Foundation
package import NTLM
internal import WireFormat

/// The log-in that every implementation is measured with; it is checked before measurements start.
package struct NTLMFixture: Sendable {
    package static let user = "alice"
    package static let domain = "ACME"
    /// Twelve characters.
    package static let password = "correct hors"
    package static let service = "HTTP/wiki.acme.example"
    /// Used in place of a certificate's SHA-256.
    package static let certificateHash = [UInt8](repeating: 7, count: 32)
    package static let serverChallenge: UInt64 = 0xefcd_ab89_6745_2301

    package let now: FileTime
    package let hash: NTHash
    package let negotiate: [UInt8]
    package let challenge: [UInt8]
    package let authenticate: [UInt8]

    package let account: NTLMAccount
    package let clientOptions: ClientHandshake.Options
    private let serverOptions = ServerHandshake.Options(
        computerName: "SERVERNAME01",
        domainName: "ACMEDOMAIN",
        dnsComputerName: "servername01.corp.acme.example",
        dnsDomainName: "corp.acme.example"
    )

    /// - Parameter now: the time of the log-in. Peers refuse an old challenge. Exact counts need the same time always, because
    ///   it is part of the messages, and reading their base64 takes more steps for some letters.
    package init(now: FileTime = FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))) throws {
        self.now = now
        hash = try NTHash(password: Self.password)
        account = try NTLMAccount(user: Self.user, domain: Self.domain, hash: hash)
        clientOptions = ClientHandshake.Options(
            targetName: Self.service,
            channelBindings: ChannelBindings(tlsServerEndPoint: Self.certificateHash.span)
        )
        var client = ClientHandshake(account: account, options: clientOptions)
        var server = ServerHandshake(options: serverOptions)
        let hash = hash
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: now, serverChallenge: Self.serverChallenge)
        let authenticate = try client.authenticate(challenge: challenge.span, now: now)
        let proven = try server.verify(authenticate: authenticate.span, now: now) { _, _ in hash }
        precondition(proven.user == Self.user && proven.hasMessageIntegrityCode, "the log-in does not hold")
        (self.negotiate, self.challenge, self.authenticate) = (negotiate, challenge, authenticate)
    }

    /// A client that sent its NEGOTIATE, with nonces of its own.
    package func client() -> ClientHandshake {
        var client = ClientHandshake(account: account, options: clientOptions)
        _ = client.negotiate()
        return client
    }

    /// A server that sent the CHALLENGE of this log-in.
    package func server() -> ServerHandshake {
        var server = ServerHandshake(options: serverOptions)
        let sent = try? server.challenge(to: negotiate.span, now: now, serverChallenge: Self.serverChallenge)
        precondition(sent == challenge, "another challenge")
        return server
    }

    /// The same as lines of NAME=VALUE, for the peers.
    package var inputs: String {
        """
        NTLM_USER=\(Self.user)
        NTLM_DOMAIN=\(Self.domain)
        NTLM_PASSWORD=\(Self.password)
        NTLM_SERVICE=\(Self.service)
        NTLM_CERTIFICATE_HASH=\(Hexadecimal.encode(Self.certificateHash.span))
        NTLM_NEGOTIATE=\(Hexadecimal.encode(negotiate.span))
        NTLM_CHALLENGE=\(Hexadecimal.encode(challenge.span))
        """
    }
}
