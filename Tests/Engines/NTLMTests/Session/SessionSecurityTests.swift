import InsecureDigests
import NTLM
import Secrets
import TestLimits
import Testing
import WireFormat

@Suite(.inTurn) struct SessionSecurityTests {
    private typealias Example = SpecificationExample
    private static let all: NegotiateFlags = [
        .extendedSessionSecurity, .sign, .seal, .keyExchange, .negotiate128, .negotiate56,
    ]

    private func session(
        _ flags: NegotiateFlags = all,
        key: [UInt8] = Example.exportedSessionKey,
        isClient: Bool = true
    ) -> SessionSecurity? {
        // The exported key is what counts; the key that it travels under does not matter here.
        let keys = SessionKeys(
            sessionBaseKey: MD4.hash([UInt8]().span),
            exportedSessionKey: Digest16(copying: key.span)
        )
        return SessionSecurity(keys: keys, flags: flags, isClient: isClient)
    }

    private func taken(_ session: consuming SessionSecurity?) throws -> SessionSecurity {
        guard let session else { throw Missing() }
        return session
    }
    private struct Missing: Error {}

    @Test("MS-NLMP 4.2.4.4: GSS_WrapEx with NTLMv2") func specification() throws {
        var client = try taken(session())
        let plaintext = try Example.bytes("50006c00610069006e007400650078007400")
        let sealed = try client.seal(plaintext.span)
        #expect(
            Hexadecimal.encode(sealed.span)
                == "010000007fb38ec5c55d497600000000" + "54e50165bf1936dc996020c1811b0f06fb5f"
        )
        var server = try taken(session(isClient: false))
        let opened = try server.unseal(sealed.span)
        #expect(opened == plaintext)
    }

    /// What `pyspnego_session.py` prints.
    struct Case: Decodable {
        struct Message: Decodable {
            var sealed: Bool
            var data, token: String
        }
        var seed: Int
        var flags: UInt32
        var key: String
        var initiate, accept: [Message]
    }

    @Test("pyspnego, both directions", .enabled(if: PythonPeer.isInstalled, PythonPeer.isMissing))
    func pyspnego() throws {
        let cases: [Case] = try PythonPeer.lines("pyspnego_session.py", "100")
        #expect(cases.count == 100)
        for each in cases {
            let key = try Example.bytes(each.key)
            let flags = NegotiateFlags(rawValue: each.flags)
            for isClient in [true, false] {
                var ours = try taken(session(flags, key: key, isClient: isClient))
                var peer = try taken(session(flags, key: key, isClient: !isClient))
                for message in isClient ? each.initiate : each.accept {
                    let data = try Example.bytes(message.data)
                    let token = try Example.bytes(message.token)
                    if message.sealed {
                        let sealed = try ours.seal(data.span)
                        #expect(sealed == token, "seed \(each.seed)")
                        let opened = try peer.unseal(token.span)
                        #expect(opened == data, "seed \(each.seed)")
                    } else {
                        let signature = try ours.sign(data.span)
                        #expect(signature == token, "seed \(each.seed)")
                        try peer.verify(data.span, signature: token.span)
                    }
                }
            }
        }
    }

    @Test("Every flipped bit is refused, and the session is over", arguments: 0..<19)
    func flips(index: Int) throws {
        var client = try taken(session())
        var sealed = try client.seal([1, 2, 3].span)
        sealed[index] ^= 0x10
        var server = try taken(session(isClient: false))
        #expect(throws: SessionSecurityError.signatureMismatch(sequenceNumber: 0)) { try server.unseal(sealed.span) }
        sealed[index] ^= 0x10
        #expect(throws: SessionSecurityError.broken) { try server.unseal(sealed.span) }
        #expect(throws: SessionSecurityError.broken) { try server.verify([1].span, signature: sealed.span) }
    }

    @Test func repeatedAndReorderedMessagesAreRefused() throws {
        var client = try taken(session())
        let first = try client.sign([1].span)
        let second = try client.sign([1].span)
        #expect(first != second)
        var server = try taken(session(isClient: false))
        try server.verify([1].span, signature: first.span)
        #expect(throws: SessionSecurityError.signatureMismatch(sequenceNumber: 1)) {
            try server.verify([1].span, signature: first.span)
        }
        var another = try taken(session(isClient: false))
        #expect(throws: SessionSecurityError.signatureMismatch(sequenceNumber: 0)) {
            try another.verify([1].span, signature: second.span)
        }
        // A message that comes back to its sender has the wrong direction's keys.
        var mirror = try taken(session())
        #expect(throws: SessionSecurityError.signatureMismatch(sequenceNumber: 0)) {
            try mirror.verify([1].span, signature: first.span)
        }
    }

    @Test func shortMessagesAreRefused() throws {
        for count in 0..<16 {
            var server = try taken(session(isClient: false))
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(throws: SessionSecurityError.truncated(needed: 16, available: count)) {
                try server.unseal(bytes.span)
            }
        }
    }

    @Test func nothingIsSealedThatWasNotAgreedOn() throws {
        var signing = try taken(session([.extendedSessionSecurity, .sign, .negotiate128]))
        #expect(throws: SessionSecurityError.sealingNotAgreed) { try signing.seal([1].span) }
        #expect(throws: SessionSecurityError.sealingNotAgreed) { try signing.unseal([1].span) }
        for flags: NegotiateFlags in [
            [.extendedSessionSecurity, .negotiate128], [.sign, .negotiate128], [.extendedSessionSecurity, .sign],
        ] {
            let none = session(flags) == nil
            #expect(none, "\(flags)")
        }
    }
}
