import InsecureDigests
import NTLM
import Secrets
import TestLimits
import Testing
import WireFormat

@Suite("Agreement with pyspnego", .inTurn, .enabled(if: PythonPeer.isInstalled, PythonPeer.isMissing))
struct PyspnegoTests {
    /// What `pyspnego_client.py` prints.
    struct ClientCase: Decodable {
        var seed: Int
        var name, password, targetName: String
        var applicationData: String?
        var now: UInt64
        var clientChallenge, exportedSessionKey, negotiate, challenge, authenticate, sessionKey: String
    }

    @Test("200 handshakes of a client, with the same nonces")
    func asClient() throws {
        let cases: [ClientCase] = try PythonPeer.lines("pyspnego_client.py", "200")
        #expect(cases.count == 200)
        var withCode = 0
        var exchanged = 0
        for each in cases {
            let note: Comment = "seed \(each.seed)"
            var handshake = try client(each)
            let challenge = try Hexadecimal.decode(each.challenge)
            let clientChallenge = try Hexadecimal.decode(each.clientChallenge)
            let sessionKey = try Hexadecimal.decode(each.exportedSessionKey)
            let nonces = try ClientNonces(
                clientChallenge: clientChallenge.span,
                exportedSessionKey: sessionKey.span
            )
            _ = handshake.negotiate()
            let bytes = try handshake.authenticate(
                challenge: challenge.span,
                now: FileTime(rawValue: each.now),
                nonces: nonces
            )
            let ours = try AuthenticateMessage(reading: bytes)
            let theirs = try AuthenticateMessage(reading: try Hexadecimal.decode(each.authenticate))

            #expect(ours.ntChallengeResponse == theirs.ntChallengeResponse, note)
            #expect(ours.lmChallengeResponse == theirs.lmChallengeResponse, note)
            #expect(ours.userName == theirs.userName && ours.domainName == theirs.domainName, note)
            let exported = handshake.sessionKeys?.exportedSessionKey.withBytes { Hexadecimal.encode($0) }
            #expect(exported == each.sessionKey, note)
            if ours.flags.contains(.keyExchange) {
                exchanged += 1
                #expect(ours.encryptedRandomSessionKey == theirs.encryptedRandomSessionKey, note)
            } else {
                // MS-NLMP 3.1.5.1.2: NIL. pyspnego sends one zero byte where keys could have been exchanged but are
                // not.
                #expect(ours.encryptedRandomSessionKey == [], note)
                #expect(theirs.encryptedRandomSessionKey == [] || theirs.encryptedRandomSessionKey == [0], note)
            }
            if try NTLMv2Response(reading: ours.ntChallengeResponse).targetInfo.flags().contains(.messageIntegrityCode)
            {
                withCode += try compareCodes(each, ours: bytes, theirs: theirs) ? 1 : 0
            }
        }
        // Both branches were taken.
        #expect((1..<200).contains(withCode) && (1..<200).contains(exchanged))
    }

    private func client(_ each: ClientCase) throws -> ClientHandshake {
        var options = ClientHandshake.Options(targetName: each.targetName)
        if let text = each.applicationData {
            let data = try Hexadecimal.decode(text)
            options.channelBindings = ChannelBindings(applicationData: data.span)
        }
        let account = try NTLMAccount(parsing: each.name, hash: NTHash(password: each.password))
        return ClientHandshake(account: account, options: options)
    }

    /// Recomputes pyspnego's code over its raw messages; tells whether there is one.
    private func compareCodes(_ each: ClientCase, ours: [UInt8], theirs: AuthenticateMessage) throws -> Bool {
        let key = try Hexadecimal.decode(each.sessionKey)
        let negotiate = try Hexadecimal.decode(each.negotiate)
        let challenge = try Hexadecimal.decode(each.challenge)
        let authenticate = try Hexadecimal.decode(each.authenticate)
        let code = try MessageIntegrityCode.compute(
            key: key.span,
            negotiate: negotiate.span,
            challenge: challenge.span,
            authenticate: authenticate.span
        )
        #expect(code?.bytes == theirs.messageIntegrityCode, "seed \(each.seed)")
        return code != nil
    }
}
