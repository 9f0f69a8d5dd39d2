import NTLM
import Testing

@testable import Negotiate

/// Codes that prove nothing, beside pyspnego.
extension NegotiationTests {
    /// What pyspnego 0.12.4 does with a changed `mechListMIC`: it reads an empty one, and one that is equal to the token, as absent,
    /// and takes 01 00… where no signatures were agreed on. The lines are those of its `NegotiateProxy.step`, as initiator and as
    /// acceptor, with the context requirements `default` and `none`.
    enum ChangedCode: String, CaseIterable {
        case empty, absent, copy, wrong, placeholder

        /// Whether pyspnego goes on.
        func isTaken(withKeys hasKeys: Bool) -> Bool {
            switch self {
            case .empty, .absent, .copy: true
            case .wrong: false
            case .placeholder: !hasKeys
            }
        }

        /// The token and the code of a message whose token is `token`.
        func parts(_ token: [UInt8]?) -> (token: [UInt8]?, code: [UInt8]?) {
            switch self {
            case .empty: (token, [])
            case .absent: (token, nil)
            case .copy: token.map { ($0, $0) } ?? ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 16))
            case .wrong: (token, [UInt8](repeating: 2, count: 16))
            case .placeholder: (token, [1] + [UInt8](repeating: 0, count: 15))
            }
        }
    }

    /// A CHALLENGE with or without NTLMSSP_NEGOTIATE_SIGN (MS-NLMP 2.2.2.5).
    private func challenge(signs: Bool) throws -> [UInt8] {
        var challenge = try challenge()
        if !signs { challenge[20] &= ~0x10 }
        return challenge
    }

    @Test(
        "The last response's code, changed: as pyspnego, but one that is due must come",
        arguments: ChangedCode.allCases
    )
    func changedLastCode(change: ChangedCode) throws {
        for hasKeys in [true, false] {
            var client = ClientNegotiation(ntlm: try Self.byPassword())
            _ = client.start()
            let challenge = try challenge(signs: hasKeys)
            _ = try receive(&client, .response(1, mechanism: NaiveDER.ntlm, token: challenge))
            let (token, code) = change.parts(nil)
            let last = NaiveDER.response(0, token: token, code: code)
            if change.isTaken(withKeys: hasKeys) {
                #expect(try receive(&client, last, isFinal: true) == .completed, "\(hasKeys)")
                #expect(!client.isServerProven)
            } else {
                #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong), "\(hasKeys)") {
                    try receive(&client, last, isFinal: true)
                }
            }
        }
        guard change.isTaken(withKeys: true) else { return }
        // request-mic: a code is due. pyspnego takes these, too; RFC 4178 section 5 does not.
        var demanding = ClientNegotiation(ntlm: try Self.byPassword())
        _ = demanding.start()
        _ = try receive(&demanding, .response(3, mechanism: NaiveDER.ntlm, token: try challenge(signs: true)))
        let (token, code) = change.parts(nil)
        #expect(throws: MechanismFailure.negotiation(.integrityCodeMissing)) {
            try receive(&demanding, .response(0, token: token, code: code), isFinal: true)
        }
    }

    @Test("A code beside the CHALLENGE, changed: as pyspnego", arguments: ChangedCode.allCases)
    func changedFirstCode(change: ChangedCode) throws {
        var client = ClientNegotiation(ntlm: try Self.byPassword())
        _ = client.start()
        let (token, code) = change.parts(try challenge())
        let response = NaiveDER.response(1, mechanism: NaiveDER.ntlm, token: token, code: code)
        if change.isTaken(withKeys: true) {
            _ = try sent(try receive(&client, response))
            #expect(client.hasSentPassword)
        } else {
            #expect(throws: MechanismFailure.negotiation(.integrityCodeWrong)) { try receive(&client, response) }
            #expect(!client.hasSentPassword)
        }
    }

    @Test(
        "The code of an AUTHENTICATE, changed: as pyspnego, but one that is due must come",
        arguments: ChangedCode.allCases
    )
    func changedClientCode(change: ChangedCode) throws {
        let first = NaiveDER.initial([NaiveDER.ntlm], token: [1]).bytes
        let second = NaiveDER.initial([NaiveDER.kerberos, NaiveDER.ntlm], token: [1]).bytes
        for (list, isDue) in [(first, false), (second, true)] {
            for hasKeys in [true, false] {
                var server = ServerNegotiation([.ntlm])
                _ = try server.received(list.span)
                let (token, code) = change.parts([7, 8, 9])
                let step = try server.received(NaiveDER.response(token: token, code: code).bytes.span)
                guard case .token(.ntlm, _) = step else { throw Unexpected.end }
                var error: NegotiationError?
                do throws(NegotiationError) {
                    let last = try server.completion(hasKeys: hasKeys, verify: { _, _ in false }, make: { _ in nil })
                    let state = try ResponseMessage(of: last.span).state
                    #expect(state == .completed)
                } catch let failure {
                    error = failure
                }
                let isTaken = change.isTaken(withKeys: hasKeys)
                #expect(error == (!isTaken ? .integrityCodeWrong : isDue ? .integrityCodeMissing : nil))
            }
        }
    }
}
