import InsecureDigests
import NTLM
import TestSupport
import Testing
import WireFormat

@Suite struct FirstSignaturesTests {
    private static let flags: [NegotiateFlags] = [
        [.extendedSessionSecurity, .sign, .keyExchange, .negotiate128, .negotiate56],
        [.extendedSessionSecurity, .sign, .negotiate128],
        [.extendedSessionSecurity, .sign, .keyExchange, .negotiate56],
        [.extendedSessionSecurity, .seal, .sign, .keyExchange, .negotiate128],
    ]

    @Test("They are the first signatures of a session, which counts its messages", arguments: 0..<flags.count)
    func agreesWithSession(index: Int) throws {
        let flags = Self.flags[index]
        var random = SeededGenerator(seed: UInt64(index) + 1)
        // 51 bytes are the longest message that takes the short way.
        for count in [0, 1, 14, 25, 50, 51, 52, 60, 200] {
            let keys = SessionKeys(
                sessionBaseKey: Digest16(copying: random.bytes(16).span),
                exportedSessionKey: Digest16(copying: random.bytes(16).span)
            )
            let message = random.bytes(count)
            for isClient in [true, false] {
                let first = try #require(FirstSignatures(keys: keys, flags: flags, isClient: isClient))
                let peer = try #require(FirstSignatures(keys: keys, flags: flags, isClient: !isClient))
                guard var session = SessionSecurity(keys: keys, flags: flags, isClient: isClient) else {
                    Issue.record("no session")
                    return
                }
                let expected = try session.sign(message.span)
                #expect(first.sign(message.span) == expected, "\(count) bytes")
                #expect(accepts(peer, expected, message))
                // Not one of the own direction, of another length, message or session.
                #expect(!accepts(first, expected, message))
                #expect(!accepts(peer, expected.dropLast(), message) && !accepts(peer, expected + [0], message))
                #expect(!accepts(peer, expected, message + [0]))
                for bit in 0..<(8 * expected.count) {
                    var wrong = expected
                    wrong[bit / 8] ^= 1 << UInt8(bit % 8)
                    #expect(!accepts(peer, wrong, message), "bit \(bit)")
                }
            }
        }
    }

    private func accepts(_ signatures: FirstSignatures, _ signature: [UInt8], _ message: [UInt8]) -> Bool {
        signatures.accepts(signature.span, of: message.span)
    }

    @Test("Without keys that are strong enough there are none")
    func weak() {
        let keys = SessionKeys(
            sessionBaseKey: Digest16(low: 1, high: 2),
            exportedSessionKey: Digest16(low: 3, high: 4)
        )
        for flags: NegotiateFlags in [
            [.extendedSessionSecurity, .negotiate128], [.sign, .negotiate128], [.sign, .extendedSessionSecurity], [],
        ] {
            #expect(FirstSignatures(keys: keys, flags: flags, isClient: true) == nil)
            let hasSession = SessionSecurity(keys: keys, flags: flags, isClient: true) != nil
            #expect(!hasSession)
        }
    }
}
