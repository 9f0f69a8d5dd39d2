internal import WireFormat

/// What is around a token that is written in place, in a ``ResponseMessage`` without state and choice.
///
/// ```
/// ┌─────────────────────┬───────┬───────────────────┐
/// │ A1 L 30 L A2 L 04 L │ token │ A3 L 04 L code    │   the code is optional
/// └─────────────────────┴───────┴───────────────────┘
/// ```
struct ResponseFrame {
    private let token: Int
    private let code: Int?

    /// - Parameters:
    ///   - token: bytes of the token.
    ///   - code: the bytes of the code that protects the list of mechanisms; `nil` for a message without a code.
    init(token: Int, code: Int?) { (self.token, self.code) = (token, code) }

    private var fieldCount: Int { DERSize.element(DERSize.element(token)) + tailCount }

    /// Bytes before the token.
    var headCount: Int { DERSize.element(DERSize.element(fieldCount)) - token - tailCount }
    /// Bytes behind the token.
    var tailCount: Int { code.map { DERSize.element(DERSize.element($0)) } ?? 0 }

    func writeHead(into writer: inout ByteWriter) {
        writer.put(tag: NegotiationTag.context(1), count: DERSize.element(fieldCount))
        writer.put(tag: NegotiationTag.sequence, count: fieldCount)
        writer.put(tag: NegotiationTag.context(2), count: DERSize.element(token))
        writer.put(tag: NegotiationTag.octets, count: token)
    }

    func writeTail(code: Span<UInt8>, into writer: inout ByteWriter) {
        assert(code.count == self.code, "the frame has room for another code")
        writer.put(NegotiationTag.context(3), NegotiationTag.octets, code)
    }
}
