import InsecureDigests
import NTLM
import Testing
import WireFormat

@Suite struct NTLMv2ResponseTests {
    private typealias Example = SpecificationExample

    private func key() throws -> NTOWFv2 {
        NTOWFv2(hash: try NTHash(password: Example.password), user: Example.user, domain: Example.domain)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes.span) }

    private func response() throws -> NTLMv2Response {
        let info = try Example.bytes(Example.targetInfo)
        let hash = try NTHash(password: Example.password)
        return try NTLMv2Response(
            responseKey: NTOWFv2.bytes(hash: hash, user: Example.user, domain: Example.domain),
            serverChallenge: Example.serverChallenge,
            clientChallenge: Example.clientChallenge,
            timestamp: FileTime(rawValue: 0),
            targetInfo: try TargetInfo(reading: info)
        )
    }

    private func base() throws -> Digest16 {
        let proof = try response().ntProofStr
        return NTLMv2Response.sessionBaseKey(proof: Digest16(copying: proof.span), responseKey: try key())
    }

    @Test("MS-NLMP 4.2.4.1.1: NTOWFv2") func responseKey() throws {
        let hash = try NTHash(password: Example.password)
        let key = NTOWFv2.bytes(hash: hash, user: Example.user, domain: Example.domain).bytes
        #expect(Hexadecimal.encode(key.span) == Example.ntowfV2)
    }

    @Test("MS-NLMP 4.2.4.1.2: SessionBaseKey") func sessionBaseKey() throws {
        #expect(hexadecimal(try base().bytes) == Example.sessionBaseKey)
    }

    @Test("MS-NLMP 4.2.4.2.1: LMv2 response") func lmv2() throws {
        let response = NTLMv2Response.lmv2(
            responseKey: try key(),
            serverChallenge: Example.serverChallenge,
            clientChallenge: Example.clientChallenge
        )
        #expect(hexadecimal(response.bytes) == String(Example.lmv2.prefix(32)))
    }

    @Test("MS-NLMP 4.2.4.2.2: NTLMv2 response") func ntlmv2() throws {
        #expect(hexadecimal(try response().bytes) == Example.ntProofStr + Example.temp)
        #expect(hexadecimal(try response().ntProofStr) == Example.ntProofStr)
    }

    @Test("MS-NLMP 4.2.4.2.3: encrypted session key") func encryptedSessionKey() throws {
        let chosen = Example.exportedSessionKey
        let encrypted = RC4.exchange(Digest16(copying: chosen.span), key: try base())
        #expect(hexadecimal(encrypted.bytes) == Example.encryptedSessionKey)
    }

    @Test("The example of the Davenport description") func davenport() throws {
        let hash = try NTHash(password: "SecREt01")
        let ownKey = NTOWFv2.bytes(hash: hash, user: "user", domain: "DOMAIN").bytes
        #expect(Hexadecimal.encode(ownKey.span) == "04b8e0ba74289cc540826bab1dee63ae")
        let response = NTLMv2Response.lmv2(
            responseKey: NTOWFv2(hash: hash, user: "user", domain: "DOMAIN"),
            serverChallenge: Example.serverChallenge,
            clientChallenge: 0x4433_2211_00ff_ffff
        )
        #expect(hexadecimal(response.bytes) == "d6e6152ea25d03b7c6ba6629c2d6aaf0")
    }

    @Test func aResponseIsReadBack() throws {
        let written = try response()
        #expect(try NTLMv2Response(reading: written.bytes) == written)
    }

    @Test("LM and NTLMv1 responses are refused", arguments: [0, 1, 24, 43])
    func shortResponsesAreRefused(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(throws: MessageError.notAnNTLMv2Response(bytes: count)) { try NTLMv2Response(reading: bytes) }
    }

    @Test func keysAreExchangedOnlyToSignOrSeal() {
        #expect(!NegotiateFlags([.keyExchange]).exchangesKeys)
        #expect(!NegotiateFlags([.sign, .seal]).exchangesKeys)
        #expect(NegotiateFlags([.keyExchange, .sign]).exchangesKeys)
        #expect(NegotiateFlags([.keyExchange, .seal]).exchangesKeys)
    }
}
