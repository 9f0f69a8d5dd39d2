import TestSupport
import Testing
import WireFormat

@testable import Negotiate

/// Tokens in both directions against a naive twin, tokens of other implementations, and what each defect yields.
@Suite struct TokenTests {
    /// Around every change of the form of a length, and beyond a ticket of 64 KiB.
    static let sizes = [0, 1, 60, 100, 127, 128, 129, 200, 255, 256, 257, 2_048, 65_535, 65_536, 70_000]

    @Test("A first token has the bytes that DER prescribes", arguments: sizes)
    func writesInitial(size: Int) throws {
        let token = [UInt8](repeating: 0x5A, count: size)
        let lists: [([Mechanism], [String])] = [
            ([.ntlm], [NaiveDER.ntlm]), ([.kerberos, .ntlm], [NaiveDER.kerberos, NaiveDER.ntlm]),
            (
                [.microsoftKerberos, .kerberos, .negoEx],
                [NaiveDER.microsoftKerberos, NaiveDER.kerberos, NaiveDER.negoEx]
            ),
        ]
        for (mechanisms, names) in lists {
            let list = MechanismList(mechanisms)
            let bytes = InitialMessage.bytes(list, token: token.span)
            #expect(bytes == NaiveDER.initial(names, token: token).bytes)
            #expect(list.bytes == NaiveDER.constructed(0x30, names.map(NaiveDER.identifier)).bytes)
            #expect(
                InitialMessage.base64(list, token: token.span, prefix: "Negotiate ") == "Negotiate "
                    + Base64.encode(bytes.span)
            )
            let read = try InitialMessage(of: bytes.span)
            #expect(read.token.map { Array(bytes[$0]) } == token)
            let again = MechanismList(at: read.list, in: bytes.span)
            #expect(again == list && again.beginsKnown)
            #expect(read.integrityCode == nil && read.hintName == nil)
        }
    }

    @Test("A later token has the bytes that DER prescribes", arguments: sizes)
    func writesResponse(size: Int) throws {
        let token = [UInt8](repeating: 0xA5, count: size)
        let code = [UInt8](1...16)
        for state in NegotiationState.allCases.map(Optional.some) + [nil] {
            for mechanism in [Mechanism.kerberos, nil] {
                for withCode in [false, true] {
                    let bytes = ResponseMessage.bytes(
                        .init(state, mechanism: mechanism, token: token, integrityCode: withCode ? code : nil)
                    )
                    let twin = NaiveDER.response(
                        state?.rawValue,
                        mechanism: mechanism.map { _ in NaiveDER.kerberos },
                        token: token,
                        code: withCode ? code : nil
                    )
                    #expect(bytes == twin.bytes)
                    let read = try ResponseMessage(of: bytes.span)
                    #expect(read.state == state && read.token.map { Array(bytes[$0]) } == token)
                    #expect(read.mechanism.flatMap { Mechanism(at: $0, in: bytes.span) } == mechanism)
                    #expect(read.integrityCode.map { Array(bytes[$0]) } == (withCode ? code : nil))
                }
            }
        }
    }

    @Test("All fields of both forms of the first token are read")
    func readsInitial() throws {
        let code = [UInt8](repeating: 7, count: 16)
        let first = NaiveDER.initial(
            ["1.2.3.4", NaiveDER.ntlm],
            flags: [0x06, 0x40],
            token: [1, 2],
            code: code
        ).bytes
        let read = try InitialMessage(of: first.span)
        let list = MechanismList(at: read.list, in: first.span)
        #expect(list.known == [.ntlm] && !list.beginsKnown)
        #expect(read.integrityCode.map { Array(first[$0]) } == code)
        let second = NaiveDER.initial(
            [NaiveDER.negoEx, NaiveDER.microsoftKerberos, NaiveDER.kerberos, NaiveDER.ntlm],
            hint: "not_defined_in_RFC4178@please_ignore",
            code: code
        ).bytes
        let hinted = try InitialMessage(of: second.span)
        #expect(hinted.token == nil && hinted.integrityCode.map { Array(second[$0]) } == code)
        #expect(
            hinted.hintName.map { String(decoding: second[$0], as: UTF8.self) }
                == "not_defined_in_RFC4178@please_ignore"
        )
        #expect(
            MechanismList(at: hinted.list, in: second.span).known == [.negoEx, .microsoftKerberos, .kerberos, .ntlm]
        )
    }

    @Test("Tokens of MIT Kerberos with gss-ntlmssp, and of pyspnego")
    func ofPeers() throws {
        let first = try Hexadecimal.decode(
            "604806062b0601050502a03e303ca00e300c060a2b06010401823702020aa22a04284e544c4d5353500001000000178208e2"
                + "00000000000000000000000000000000060200000000000f"
        )
        let read = try InitialMessage(of: first.span)
        #expect(MechanismList(at: read.list, in: first.span) == .ntlm)
        let message = try #require(read.token).map { first[$0] }
        #expect(try TokenKind(of: message.span) == .ntlm && message.count == 40)
        // The same list and message, written here.
        #expect(InitialMessage.bytes(.ntlm, token: message.span) == first)
        let chosen = try Hexadecimal.decode("a11b3019a0030a0103a10c060a2b06010401823702020aa2040402aabbcc")
        #expect(throws: NegotiationError.self) { try ResponseMessage(of: chosen.span) }
        let last = try Hexadecimal.decode("a11b3019a0030a0100a31204100100000063718b7d6065f98900000000")
        let end = try ResponseMessage(of: last.span)
        #expect(end.state == .completed && end.token == nil && end.integrityCode == 13..<29)
        #expect(ResponseMessage.bytes(.init(.completed, integrityCode: Array(last[13...]))) == last)
    }

    @Test("The kinds of token are told apart")
    func kinds() throws {
        let kerberos = NaiveDER.constructed(0x60, [.identifier(NaiveDER.kerberos), .primitive(0x04, [1])]).bytes
        #expect(try TokenKind(of: kerberos.span) == .kerberos)
        let old = NaiveDER.constructed(0x60, [.identifier(NaiveDER.microsoftKerberos)]).bytes
        #expect(try TokenKind(of: old.span) == .kerberos)
        let other = NaiveDER.constructed(0x60, [.identifier("1.2.3")]).bytes
        #expect(try TokenKind(of: other.span) == .other)
        #expect(throws: NegotiationError.unknownToken) { try InitialMessage(of: kerberos.span) }
        #expect(try TokenKind(of: [UInt8]("NTLMSSP\0".utf8).span) == .ntlm)
        #expect(try TokenKind(of: NaiveDER.response(0).bytes.span) == .response)
        for bytes in [[], [0x4E], Array("NTLMSSP".utf8), [0x30, 0]] as [[UInt8]] {
            #expect(throws: NegotiationError.unknownToken) { try TokenKind(of: bytes.span) }
        }
    }

    @Test(
        "Object identifiers in dotted form",
        arguments: [
            NaiveDER.spnego, NaiveDER.kerberos, NaiveDER.microsoftKerberos, NaiveDER.ntlm, NaiveDER.negoEx, "2.999.3",
            "0.39.4294967296", "1.0.0",
        ]
    )
    func dotted(text: String) {
        guard case .primitive(_, let content) = NaiveDER.identifier(text) else { return }
        #expect(ObjectIdentifierText.text(at: 0..<content.count, in: content.span) == text)
    }

    @Test("Every truncation and every extension is refused")
    func truncations() throws {
        let code = [UInt8](repeating: 1, count: 16)
        let tokens = [
            NaiveDER.initial(
                [NaiveDER.kerberos, NaiveDER.ntlm],
                flags: [6, 0],
                token: [UInt8](repeating: 2, count: 300)
            ),
            NaiveDER.initial([NaiveDER.ntlm], token: [1], hint: "h", code: code),
            NaiveDER.initial([NaiveDER.ntlm], code: code),
            NaiveDER.response(1, mechanism: NaiveDER.ntlm, token: [UInt8](repeating: 3, count: 200), code: code),
        ].map(\.bytes)
        for token in tokens {
            for count in 0..<token.count {
                let cut = Array(token[..<count])
                #expect(throws: NegotiationError.self) { try InitialMessage(of: cut.span) }
                #expect(throws: NegotiationError.self) { try ResponseMessage(of: cut.span) }
            }
            let longer = token + [0]
            #expect(throws: NegotiationError.self) { try InitialMessage(of: longer.span) }
            #expect(throws: NegotiationError.self) { try ResponseMessage(of: longer.span) }
        }
    }

    @Test(
        "Defects and their errors",
        arguments: [
            // An indefinite length, a long form of a short length, a length with a leading zero, one of four bytes.
            ("a180300000000000", .malformedLength(offset: 1)), ("a1813030", .malformedLength(offset: 1)),
            ("a182003030", .malformedLength(offset: 1)), ("a18401000000", .truncated(offset: 0)),
            ("a1053003a0010a", .truncated(offset: 6)), ("a1023100", .unexpectedElement(tag: 0x31, offset: 2)),
            // States: two bytes, unknown, empty.
            ("a1083006a0040a020000", .malformedValue(offset: 8)), ("a1073005a0030a0104", .malformedValue(offset: 8)),
            ("a1063004a0020a00", .malformedValue(offset: 8)),
            // Fields in the wrong order, twice, unknown.
            ("a10c300aa203040100a0030a0100", .trailingBytes(offset: 9)),
            ("a10c300aa0030a0100a0030a0100", .trailingBytes(offset: 9)),
            ("a1063004a4020400", .trailingBytes(offset: 4)),
            // An identifier that is empty, begins with zeros, and does not end.
            ("a1063004a1020600", .malformedValue(offset: 8)), ("a1083006a10406022a80", .malformedValue(offset: 8)),
            ("a1083006a10406028001", .malformedValue(offset: 8)),
            // Two elements in one field.
            ("a1083006a00406000600", .unexpectedElement(tag: 6, offset: 6)),
            ("a1083006a20404000400", .trailingBytes(offset: 8)),
        ] as [(String, NegotiationError)]
    )
    func defects(hexadecimal: String, error: NegotiationError) throws {
        let bytes = try Hexadecimal.decode(hexadecimal)
        #expect(throws: error) { try ResponseMessage(of: bytes.span) }
        #expect(!"\(error)".isEmpty && error.isMalformedToken)
    }

    @Test("Bounds: bytes of a token, mechanisms of a list, bytes of an identifier")
    func bounds() {
        let long = NaiveDER.response(1, token: [UInt8](repeating: 0, count: NegotiationLimits.tokenBytes)).bytes
        #expect(throws: NegotiationError.tooLong(bytes: long.count)) { try ResponseMessage(of: long.span) }
        #expect(throws: NegotiationError.tooLong(bytes: long.count)) { try InitialMessage(of: long.span) }
        #expect(throws: NegotiationError.tooLong(bytes: long.count)) { try TokenKind(of: long.span) }
        let most = NaiveDER.initial([String](repeating: "1.2.3", count: NegotiationLimits.mechanisms)).bytes
        #expect(throws: Never.self) { try InitialMessage(of: most.span) }
        let more = NaiveDER.initial([String](repeating: "1.2.3", count: NegotiationLimits.mechanisms + 1)).bytes
        #expect(throws: NegotiationError.tooManyMechanisms) { try InitialMessage(of: more.span) }
        let none = NaiveDER.initial([]).bytes
        #expect(throws: NegotiationError.self) { try InitialMessage(of: none.span) }
        let wide = NaiveDER.initial(["1.2" + String(repeating: ".3", count: NegotiationLimits.identifierBytes)]).bytes
        #expect(throws: NegotiationError.self) { try InitialMessage(of: wide.span) }
    }

    @Test("Mutated tokens: what is read is what a naive writer writes", arguments: UInt64(1)...32)
    func mutations(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let originals = [
            NaiveDER.initial([NaiveDER.kerberos, NaiveDER.ntlm], token: random.bytes(40), code: random.bytes(16)).bytes,
            NaiveDER.response(1, mechanism: NaiveDER.ntlm, token: random.bytes(130), code: random.bytes(16)).bytes,
        ]
        for _ in 0..<2_000 {
            var bytes = originals.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(.random(in: 0...255, using: &random), at: place)
                }
            }
            if let read = try? ResponseMessage(of: bytes.span) {
                func content(_ range: Range<Int>?) -> [UInt8]? { range.map { Array(bytes[$0]) } }
                var fields: [NaiveDER] = []
                if let state = read.state { fields.append(.constructed(0xA0, [.primitive(0x0A, [state.rawValue])])) }
                if let name = content(read.mechanism) { fields.append(.constructed(0xA1, [.primitive(0x06, name)])) }
                if let token = content(read.token) { fields.append(.constructed(0xA2, [.primitive(0x04, token)])) }
                if let code = content(read.integrityCode) {
                    fields.append(.constructed(0xA3, [.primitive(0x04, code)]))
                }
                #expect(NaiveDER.constructed(0xA1, [.constructed(0x30, fields)]).bytes == bytes)
            }
            if let read = try? InitialMessage(of: bytes.span) {
                #expect(read.list.upperBound <= bytes.count && (read.token?.upperBound ?? 0) <= bytes.count)
                _ = MechanismList(at: read.list, in: bytes.span)
            }
        }
    }
}
