/// What a token of the HTTP scheme Negotiate is, by its first bytes.
package enum TokenKind: Equatable, Sendable {
    /// The first token of SPNEGO.
    case initial
    /// A later token of SPNEGO.
    case response
    /// A message of NTLM without SPNEGO around it.
    case ntlm
    /// A first token of Kerberos without SPNEGO around it.
    case kerberos
    /// The first token of another mechanism of the GSS-API.
    case other

    private static let ntlmSignature = [UInt8]("NTLMSSP\0".utf8)

    /// - Throws: `unknownToken` for a token that none of these begins like, and what is wrong with the frame of the GSS-API.
    package init(of bytes: Span<UInt8>) throws(NegotiationError) {
        guard bytes.count <= NegotiationLimits.tokenBytes else { throw .tooLong(bytes: bytes.count) }
        if bytes.count >= 8, bytes.hold(Self.ntlmSignature, at: 0..<8) {
            self = .ntlm
        } else if bytes.count > 0, bytes[0] == NegotiationTag.context(1) {
            self = .response
        } else if bytes.count > 0, bytes[0] == NegotiationTag.application {
            // RFC 2743 section 3.1: the identifier of the mechanism is the first element of the frame.
            let identifier = try Self.identifier(in: bytes)
            if bytes.hold(Mechanism.spnegoIdentifier, at: identifier) {
                self = .initial
            } else {
                let mechanism = Mechanism(at: identifier, in: bytes)
                self = mechanism.map { $0.isSame(as: .kerberos) } ?? false ? .kerberos : .other
            }
        } else {
            throw .unknownToken
        }
    }

    /// The identifier of the mechanism in the frame of the GSS-API.
    package static func identifier(in bytes: Span<UInt8>) throws(NegotiationError) -> Range<Int> {
        var outer = NegotiationReader(0..<bytes.count)
        var framed = NegotiationReader(try outer.read(NegotiationTag.application, in: bytes))
        try outer.finish()
        let identifier = try framed.read(NegotiationTag.identifier, in: bytes)
        try MechanismList.checkIdentifier(identifier, in: bytes)
        return identifier
    }
}
