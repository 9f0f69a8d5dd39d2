internal import WireFormat

/// The state that a server reports (`negState`, RFC 4178 section 4.2.2).
public enum NegotiationState: UInt8, Sendable, CaseIterable {
    /// The server accepts the client.
    case completed = 0
    /// Another token is due.
    case incomplete = 1
    /// The server refuses.
    case rejected = 2
    /// Another token is due, and at the end codes over the list of mechanisms.
    case demandsIntegrityCode = 3

    /// The name in RFC 4178.
    package var name: String {
        switch self {
        case .completed: "accept-completed"
        case .incomplete: "accept-incomplete"
        case .rejected: "reject"
        case .demandsIntegrityCode: "request-mic"
        }
    }
}

/// Every later token of a negotiation (`NegTokenResp`, RFC 4178 section 4.2.2), as ranges of its bytes.
///
/// ```
/// A1 L 30 L ─┬ A0 03 0A 01 state      negState; optional
///            ├ A1 L 06 L identifier   supportedMech; optional
///            ├ A2 L 04 L …            responseToken; optional
///            └ A3 L 04 L …            mechListMIC; optional
/// ```
package struct ResponseMessage: Equatable, Sendable {
    package var state: NegotiationState?
    /// The identifier of the mechanism that the server chose.
    package var mechanism: Range<Int>?
    package var token: Range<Int>?
    package var integrityCode: Range<Int>?

    /// Reads a token.
    package init(of bytes: Span<UInt8>) throws(NegotiationError) {
        guard bytes.count <= NegotiationLimits.tokenBytes else { throw .tooLong(bytes: bytes.count) }
        var outer = NegotiationReader(0..<bytes.count)
        var reader = NegotiationReader(try outer.read(NegotiationTag.context(1), NegotiationTag.sequence, in: bytes))
        try outer.finish()
        if let value = try reader.readIfPresent(NegotiationTag.context(0), NegotiationTag.enumerated, in: bytes) {
            guard value.count == 1, let known = NegotiationState(rawValue: bytes[value.lowerBound]) else {
                throw .malformedValue(offset: value.lowerBound)
            }
            state = known
        }
        mechanism = try reader.readIfPresent(NegotiationTag.context(1), NegotiationTag.identifier, in: bytes)
        if let mechanism { try MechanismList.checkIdentifier(mechanism, in: bytes) }
        token = try reader.readIfPresent(NegotiationTag.context(2), NegotiationTag.octets, in: bytes)
        integrityCode = try reader.readIfPresent(NegotiationTag.context(3), NegotiationTag.octets, in: bytes)
        try reader.finish()
    }

    /// Whether `bytes` are a response in which the server refuses.
    package static func isRejection(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 0, bytes[0] == NegotiationTag.context(1) else { return false }
        return (try? ResponseMessage(of: bytes))?.state == .rejected
    }

    /// What a response says.
    package struct Content {
        package var state: NegotiationState?
        package var mechanism: Mechanism?
        package var token: [UInt8]?
        package var integrityCode: [UInt8]?

        package init(
            _ state: NegotiationState? = nil,
            mechanism: Mechanism? = nil,
            token: [UInt8]? = nil,
            integrityCode: [UInt8]? = nil
        ) {
            (self.state, self.mechanism, self.token, self.integrityCode) = (state, mechanism, token, integrityCode)
        }

        fileprivate var size: Int {
            var size = state == nil ? 0 : DERSize.element(DERSize.element(1))
            if let mechanism { size += DERSize.element(DERSize.element(mechanism.identifier.count)) }
            if let token { size += DERSize.element(DERSize.element(token.count)) }
            if let integrityCode { size += DERSize.element(DERSize.element(integrityCode.count)) }
            return size
        }
    }

    /// Writes a token.
    ///
    /// - Complexity: one allocation.
    package static func bytes(_ content: Content) -> [UInt8] {
        let size = content.size
        return ByteWriter.filling(count: DERSize.element(DERSize.element(size))) { write(content, size, into: &$0) }
    }

    /// The same in base64 behind `prefix`.
    package static func base64(_ content: Content, prefix: StaticString) -> String {
        let size = content.size
        return ByteWriter.base64(prefix: prefix, count: DERSize.element(DERSize.element(size))) {
            write(content, size, into: &$0)
        }
    }

    private static func write(_ content: Content, _ size: Int, into writer: inout ByteWriter) {
        writer.put(tag: NegotiationTag.context(1), count: DERSize.element(size))
        writer.put(tag: NegotiationTag.sequence, count: size)
        if let state = content.state {
            writer.put(tag: NegotiationTag.context(0), count: DERSize.element(1))
            writer.put(tag: NegotiationTag.enumerated, count: 1)
            writer.put(byte: state.rawValue)
        }
        if let identifier = content.mechanism?.identifier {
            writer.put(NegotiationTag.context(1), NegotiationTag.identifier, identifier.span)
        }
        if let token = content.token { writer.put(NegotiationTag.context(2), NegotiationTag.octets, token.span) }
        if let code = content.integrityCode { writer.put(NegotiationTag.context(3), NegotiationTag.octets, code.span) }
    }
}
