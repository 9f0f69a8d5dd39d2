internal import WireFormat

/// The server's side of SPNEGO (RFC 4178): it chooses a mechanism of the client's list, and frames the tokens of the mechanism, which
/// the caller passes on. It does no I/O.
package struct ServerNegotiation: Sendable {
    /// What follows from the client's token.
    package enum Step: Equatable, Sendable {
        /// Give these bytes of the token to the mechanism, then call ``reply(_:)`` or ``completion(token:verify:make:)``.
        case token(Mechanism, Range<Int>)
        /// Send this: the client begins with another mechanism.
        case respond([UInt8])
        /// The client's code over the list is there: call ``completion(token:verify:make:)``.
        case code
    }

    /// Tells the client that it is refused.
    package static let rejection = ResponseMessage.bytes(.init(.rejected))

    private let supported: [Mechanism]
    private var list: MechanismList?
    private var mechanism: Mechanism?
    private var tokens = 0
    /// Whether a response has named the mechanism.
    private var hasNamedMechanism = false
    /// Whether a code of the client is due (RFC 4178 section 5).
    private var demandsCode = false
    /// The code in the client's last token.
    private var code: [UInt8]?
    /// Whether our code was sent, and the next token is the client's code alone.
    private var hasSentCode = false

    /// A negotiation for the mechanisms `supported`; the client's order decides.
    package init(_ supported: [Mechanism]) { self.supported = supported }

    /// Takes a token of the client, which begins like one of SPNEGO.
    package mutating func received(_ bytes: Span<UInt8>) throws(NegotiationError) -> Step {
        tokens += 1
        guard tokens <= NegotiationLimits.tokens else { throw .tooManyTokens }
        switch try TokenKind(of: bytes) {
        case .initial:
            guard list == nil else { throw .wrongStep }
            return try choose(try InitialMessage(of: bytes), in: bytes)
        case .response:
            guard let mechanism else { throw .wrongStep }
            let response = try ResponseMessage(of: bytes)
            guard response.state != .rejected else { throw .rejected }
            keepCode(response.listCode(in: bytes), of: bytes)
            if hasSentCode {
                guard response.token.map(\.isEmpty) ?? true else { throw .unexpectedToken }
                return .code
            }
            guard let token = response.token else { throw .tokenMissing }
            return .token(mechanism, token)
        case .ntlm, .kerberos, .other: throw .unexpectedToken
        }
    }

    private mutating func choose(
        _ first: InitialMessage,
        in bytes: Span<UInt8>
    ) throws(NegotiationError) -> Step {
        let list = MechanismList(at: first.list, in: bytes)
        self.list = list
        guard let chosen = list.known.first(where: { known in supported.contains { $0.isSame(as: known) } }) else {
            throw .noCommonMechanism
        }
        mechanism = chosen
        let isFirst = list.beginsKnown && chosen == list.known[0]
        if isFirst, let token = first.token {
            keepCode(first.integrityCode, of: bytes)
            return .token(chosen, token)
        }
        // RFC 4178 section 5: codes are optional only for the client's first choice.
        demandsCode = !isFirst
        hasNamedMechanism = true
        return .respond(
            ResponseMessage.bytes(.init(isFirst ? .incomplete : .demandsIntegrityCode, mechanism: chosen))
        )
    }

    private mutating func keepCode(_ place: Range<Int>?, of bytes: Span<UInt8>) {
        // An empty code is none.
        code = place.flatMap { $0.isEmpty ? nil : [UInt8](copying: bytes.extracting($0)) }
    }

    /// The response with the next token of the mechanism.
    package mutating func reply(_ token: [UInt8]) -> [UInt8] {
        ResponseMessage.bytes(.init(.incomplete, mechanism: takeName(), token: token))
    }

    /// Whether the client owes a code that its last token does not have. If the mechanism is complete after the client's only token,
    /// the client can make it only after ``demand(token:make:)``.
    package var awaitsCode: Bool { demandsCode && code == nil }

    /// The response with the last token of the mechanism and our code, to which the client answers with its code (RFC 4178 section 5).
    package mutating func demand(
        token: [UInt8],
        make: (_ list: [UInt8]) -> [UInt8]?
    ) throws(NegotiationError) -> [UInt8] {
        guard let list, !hasSentCode, let ours = make(list.bytes) else { throw .integrityCodeMissing }
        hasSentCode = true
        return ResponseMessage.bytes(.init(.incomplete, mechanism: takeName(), token: token, integrityCode: ours))
    }

    /// The last response, after the mechanism has accepted the client.
    ///
    /// - Parameters:
    ///   - token: the last token of the mechanism, if it has one.
    ///   - hasKeys: whether the mechanism has keys for codes.
    ///   - verify: whether a code over the bytes of the list is right.
    ///   - make: makes our code over them.
    package mutating func completion(
        token: [UInt8]? = nil,
        hasKeys: Bool = true,
        verify: (_ code: Span<UInt8>, _ list: [UInt8]) -> Bool,
        make: (_ list: [UInt8]) -> [UInt8]?
    ) throws(NegotiationError) -> [UInt8] {
        guard let list else { throw .wrongStep }
        var ours: [UInt8]?
        if let code, hasKeys || !ListCode.isPlaceholder(code.span) {
            guard verify(code.span, list.bytes) else { throw .integrityCodeWrong }
            if !hasSentCode { ours = make(list.bytes) }
        } else if demandsCode {
            throw .integrityCodeMissing
        }
        return ResponseMessage.bytes(.init(.completed, mechanism: takeName(), token: token, integrityCode: ours))
    }

    /// The chosen mechanism for the first response; `nil` for later ones.
    private mutating func takeName() -> Mechanism? {
        defer { hasNamedMechanism = true }
        return hasNamedMechanism ? nil : mechanism
    }
}
