import InsecureDigests
import NTLM
import Secrets
import TestSupport
import Testing
import WireFormat

/// Properties at which other implementations failed, as far as no other suite shows them.
@Suite struct SecurityPropertyTests {
    private static let now = FileTime(rawValue: 133_500_000_000_000_000)

    /// A client's answer, the server that awaits it, and its CHALLENGE.
    private func exchange(
        password: String = "Password",
        sendsTimestamp: Bool = true
    ) throws -> (authenticate: [UInt8], server: ServerHandshake, challenge: [UInt8]) {
        var client = ClientHandshake(
            account: try NTLMAccount(user: "ada", domain: "ACME", hash: NTHash(password: password))
        )
        var server = ServerHandshake(options: .init(computerName: "WIKI", sendsTimestamp: sendsTimestamp))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: Self.now)
        return (try client.authenticate(challenge: challenge.span, now: Self.now), server, challenge)
    }

    @Test("A wrong password without an integrity code: the proof alone must stop it") func proofAlone() throws {
        var (authenticate, server, _) = try exchange(password: "guess", sendsTimestamp: false)
        #expect(try AuthenticateMessage(reading: authenticate).messageIntegrityCode == nil)
        let hash = try NTHash(password: "Password")
        #expect(throws: ServerHandshakeError.rejected) {
            try server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        }
    }

    @Test("A right code over a wrong proof: the code alone must not let in") func codeAlone() throws {
        var (authenticate, server, challenge) = try exchange()
        let negotiate = ClientHandshake(
            account: try NTLMAccount(user: "ada", domain: "ACME", hash: NTHash(password: "Password"))
        )
        var sender = negotiate
        let first = sender.negotiate()
        // The proof is damaged. With the hash the session key of the damaged proof can be computed, and so a right
        // code.
        var message = try AuthenticateMessage(reading: authenticate)
        message.ntChallengeResponse[3] ^= 1
        let response = try NTLMv2Response(reading: message.ntChallengeResponse)
        let hash = try NTHash(password: "Password")
        let base = NTLMv2Response.sessionBaseKey(
            proof: Digest16(copying: response.ntProofStr.span),
            responseKey: NTOWFv2(hash: hash, user: "ada", domain: "ACME")
        )
        let exported = RC4.exchange(Digest16(copying: message.encryptedRandomSessionKey.span), key: base)
        authenticate = try message.encoded()
        let offset = try #require(message.messageIntegrityCodeOffset)
        let code = try #require(
            exported.withBytes { key in
                MessageIntegrityCode.compute(
                    key: key,
                    negotiate: first.span,
                    challenge: challenge.span,
                    authenticate: authenticate.span,
                    offset: offset
                )
            }
        )
        authenticate.replaceSubrange(offset..<(offset + 16), with: code.bytes)
        #expect(throws: ServerHandshakeError.rejected) {
            try server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        }
    }

    @Test("A target name from an untrusted source is reported") func untrustedTargetName() throws {
        var (authenticate, server, challenge) = try exchange(sendsTimestamp: false)
        var message = try AuthenticateMessage(reading: authenticate)
        let old = try NTLMv2Response(reading: message.ntChallengeResponse)
        let hash = try NTHash(password: "Password")
        let key = NTOWFv2.bytes(hash: hash, user: "ada", domain: "ACME")
        var info = old.targetInfo
        info.set(.flags, to: [4, 0, 0, 0])
        message.ntChallengeResponse = try NTLMv2Response(
            responseKey: key,
            serverChallenge: try ChallengeMessage(reading: challenge).serverChallenge,
            clientChallenge: old.clientChallenge,
            timestamp: old.timestamp,
            targetInfo: info
        ).bytes
        authenticate = try message.encoded()
        let client = try server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        #expect(client.isTargetNameUntrusted)
    }

    @Test func everyChallengeHasItsOwnNonce() throws {
        let nonces = try (0..<64).map { _ in try ChallengeMessage(reading: exchange().challenge).serverChallenge }
        #expect(Set(nonces).count == 64 && !nonces.contains(0))
    }

    @Test func noWorkstationIsToldUnlessGiven() throws {
        let message = try AuthenticateMessage(reading: exchange().authenticate)
        #expect(message.workstationBytes.isEmpty && message.version == [UInt8](repeating: 0, count: 8))
    }

    @Test("A server shows no keys after it accepted a client") func nothingSecretIsPrinted() throws {
        var (authenticate, server, _) = try exchange()
        let hash = try NTHash(password: "Password")
        let client = try server.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
        let keys = try #require(server.sessionKeys)
        let secrets = [keys.exportedSessionKey, keys.sessionBaseKey].map { $0.withBytes { [UInt8](copying: $0) } }
        for value in [server, keys, client] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                for secret in secrets {
                    let beginning = [UInt8](secret.prefix(4))
                    let digits = Hexadecimal.encode(beginning.span)
                    #expect(!text.contains(digits))
                    #expect(!text.contains(secret.prefix(4).map(String.init).joined(separator: ", ")))
                    #expect(!text.contains(secret.prefix(4).map { "- \($0)" }.joined(separator: "\n")))
                }
            }
        }
    }
}
