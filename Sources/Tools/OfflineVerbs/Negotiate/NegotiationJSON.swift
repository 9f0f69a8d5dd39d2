internal import NTLM
internal import Negotiate
internal import WireFormat

/// The JSON form of a token of Negotiate, with the names of RFC 4178 section 4.2 and MS-SPNG 2.2.1.
enum NegotiationJSON {
    /// Reads `bytes` as any token that the scheme carries.
    static func object(_ bytes: [UInt8]) throws(NegotiationError) -> JSONValue {
        let span = bytes.span
        switch try TokenKind(of: span) {
        case .initial: return try initial(span)
        case .response: return try response(span)
        case .ntlm, .kerberos, .other: return mechanismToken(bytes)
        }
    }

    private static func initial(_ bytes: Span<UInt8>) throws(NegotiationError) -> JSONValue {
        let token = try InitialMessage(of: bytes)
        var mechanisms: [JSONValue] = []
        MechanismList.forEach(at: token.list, in: bytes) { mechanisms.append(mechanism(at: $0, in: bytes)) }
        let hasHints = token.hintName != nil || token.hintAddress != nil
        var members: [(name: String, value: JSONValue)] = [
            ("Token", .string(hasHints ? "NegTokenInit2" : "NegTokenInit")), ("mechTypes", .array(mechanisms)),
            ("mechToken", inner(token.token, in: bytes)),
        ]
        if hasHints {
            let name = token.hintName.map { String(decoding: slice($0, of: bytes), as: UTF8.self) }
            members.append(
                (
                    "negHints",
                    .object([("hintName", JSONValue(name)), ("hintAddress", hexadecimal(token.hintAddress, in: bytes))])
                )
            )
        }
        members.append(("mechListMIC", hexadecimal(token.integrityCode, in: bytes)))
        return .object(members)
    }

    private static func response(_ bytes: Span<UInt8>) throws(NegotiationError) -> JSONValue {
        let token = try ResponseMessage(of: bytes)
        return .object([
            ("Token", .string("NegTokenResp")), ("negState", JSONValue(token.state?.name)),
            ("supportedMech", token.mechanism.map { mechanism(at: $0, in: bytes) } ?? .null),
            ("responseToken", inner(token.token, in: bytes)),
            ("mechListMIC", hexadecimal(token.integrityCode, in: bytes)),
        ])
    }

    private static func mechanism(at range: Range<Int>, in bytes: Span<UInt8>) -> JSONValue {
        let name = Mechanism(at: range, in: bytes).map { "\($0)" }
        let text = ObjectIdentifierText.text(at: range, in: bytes)
        return .object([("Identifier", .string(text)), ("Name", JSONValue(name))])
    }

    private static func inner(_ range: Range<Int>?, in bytes: Span<UInt8>) -> JSONValue {
        range.map { mechanismToken(slice($0, of: bytes)) } ?? .null
    }

    /// A token of a mechanism: the fields of NTLM, or the identifier and the kind of another one.
    ///
    /// Its defects do not hide the frame, so they are shown in place of its fields.
    private static func mechanismToken(_ bytes: [UInt8]) -> JSONValue {
        let size = ("Bytes", JSONValue.integer(UInt64(bytes.count)))
        let kind: TokenKind
        do throws(NegotiationError) { kind = try TokenKind(of: bytes.span) } catch {
            return .object([("Token", .null), size, ("Hex", NTLMMessageJSON.hexadecimal(bytes))])
        }
        switch kind {
        case .ntlm:
            do throws(MessageError) { return try NTLMMessageJSON.object(bytes.span) } catch {
                return .object([("Token", .string("NTLM")), size, ("Error", .string("\(error)"))])
            }
        case .kerberos, .other, .initial:
            guard let identifier = try? TokenKind.identifier(in: bytes.span) else {
                return .object([("Token", .null), size])
            }
            let message = kerberosMessage(bytes, after: identifier.upperBound)
            return .object([
                ("Token", .string(kind == .kerberos ? "Kerberos" : "GSS-API")),
                ("thisMech", mechanism(at: identifier, in: bytes.span)),
                ("TOK_ID", kind == .kerberos ? JSONValue(message) : .null), size,
            ])
        case .response: return .object([("Token", .string("NegTokenResp")), size])
        }
    }

    /// The kind of a token of Kerberos (RFC 4121 section 4.1).
    private static func kerberosMessage(_ bytes: [UInt8], after offset: Int) -> String? {
        guard bytes.count - offset >= 2 else { return nil }
        return switch (bytes[offset], bytes[offset + 1]) {
        case (1, 0): "AP-REQ"
        case (2, 0): "AP-REP"
        case (3, 0): "KRB-ERROR"
        default: nil
        }
    }

    private static func hexadecimal(_ range: Range<Int>?, in bytes: Span<UInt8>) -> JSONValue {
        range.map { NTLMMessageJSON.hexadecimal(slice($0, of: bytes)) } ?? .null
    }

    private static func slice(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](copying: bytes.extracting(range))
    }
}
