internal import WireFormat

/// The first token of a negotiation (`NegTokenInit`, RFC 4178 section 4.2.1), or of a server that begins (`NegTokenInit2`,
/// MS-SPNG 2.2.1), as ranges of its bytes.
///
/// ```
/// 60 L ─┬ 06 06 1.3.6.1.5.5.2
///       └ A0 L 30 L ─┬ A0 L list        mechTypes
///                    ├ A1 L 03 L …      reqFlags, not read; optional
///                    ├ A2 L 04 L …      mechToken; optional
///                    ├ A3 L 30 L …      negHints, in NegTokenInit2: A0 L 1B L hintName, A1 L 04 L hintAddress
///                    └ A3 L 04 L …      mechListMIC; A4 in NegTokenInit2; optional
/// ```
package struct InitialMessage: Equatable, Sendable {
    /// The list of mechanisms with its tag and length.
    package var list: Range<Int>
    /// The first token of the first mechanism.
    package var token: Range<Int>?
    /// `hintName`: `not_defined_in_RFC4178@please_ignore` on Windows.
    package var hintName: Range<Int>?
    package var hintAddress: Range<Int>?
    /// The code over the list.
    package var integrityCode: Range<Int>?

    /// Reads a token.
    package init(of bytes: Span<UInt8>) throws(NegotiationError) {
        guard bytes.count <= NegotiationLimits.tokenBytes else { throw .tooLong(bytes: bytes.count) }
        var outer = NegotiationReader(0..<bytes.count)
        var framed = NegotiationReader(try outer.read(NegotiationTag.application, in: bytes))
        try outer.finish()
        let identifier = try framed.read(NegotiationTag.identifier, in: bytes)
        guard bytes.hold(Mechanism.spnegoIdentifier, at: identifier) else { throw .unknownToken }
        var reader = NegotiationReader(try framed.read(NegotiationTag.context(0), NegotiationTag.sequence, in: bytes))
        try framed.finish()

        var types = NegotiationReader(try reader.read(NegotiationTag.context(0), in: bytes))
        let start = types.offset
        try MechanismList.check(try types.read(NegotiationTag.sequence, in: bytes), in: bytes)
        try types.finish()
        list = start..<types.offset
        _ = try reader.readIfPresent(NegotiationTag.context(1), NegotiationTag.bits, in: bytes)
        token = try reader.readIfPresent(NegotiationTag.context(2), NegotiationTag.octets, in: bytes)
        if reader.isAt(NegotiationTag.context(3), in: bytes) {
            var third = NegotiationReader(try reader.read(NegotiationTag.context(3), in: bytes))
            if third.isAt(NegotiationTag.octets, in: bytes) {
                integrityCode = try third.read(NegotiationTag.octets, in: bytes)
            } else {
                var hints = NegotiationReader(try third.read(NegotiationTag.sequence, in: bytes))
                hintName = try hints.readIfPresent(NegotiationTag.context(0), NegotiationTag.generalString, in: bytes)
                hintAddress = try hints.readIfPresent(NegotiationTag.context(1), NegotiationTag.octets, in: bytes)
                try hints.finish()
                integrityCode = try reader.readIfPresent(NegotiationTag.context(4), NegotiationTag.octets, in: bytes)
            }
            try third.finish()
        }
        try reader.finish()
    }

    /// Writes a token with `list` and the first token of its first mechanism.
    ///
    /// - Complexity: one allocation.
    package static func bytes(_ list: MechanismList, token: Span<UInt8>) -> [UInt8] {
        let sizes = Sizes(list, token.count)
        return ByteWriter.filling(count: DERSize.element(sizes.framed)) { write(list, token, sizes, into: &$0) }
    }

    /// The same in base64 behind `prefix`.
    package static func base64(_ list: MechanismList, token: Span<UInt8>, prefix: StaticString) -> String {
        let sizes = Sizes(list, token.count)
        return ByteWriter.base64(prefix: prefix, count: DERSize.element(sizes.framed)) {
            write(list, token, sizes, into: &$0)
        }
    }

    private struct Sizes {
        let fields: Int
        let framed: Int

        init(_ list: MechanismList, _ token: Int) {
            fields = DERSize.element(list.bytes.count) + DERSize.element(DERSize.element(token))
            framed =
                DERSize.element(Mechanism.spnegoIdentifier.count) + DERSize.element(DERSize.element(fields))
        }
    }

    private static func write(
        _ list: MechanismList,
        _ token: Span<UInt8>,
        _ sizes: Sizes,
        into writer: inout ByteWriter
    ) {
        let spnego = Mechanism.spnegoIdentifier
        writer.put(tag: NegotiationTag.application, count: sizes.framed)
        writer.put(tag: NegotiationTag.identifier, count: spnego.count)
        writer.put(spnego.span)
        writer.put(tag: NegotiationTag.context(0), count: DERSize.element(sizes.fields))
        writer.put(tag: NegotiationTag.sequence, count: sizes.fields)
        writer.put(tag: NegotiationTag.context(0), count: list.bytes.count)
        writer.put(list.bytes.span)
        writer.put(NegotiationTag.context(2), NegotiationTag.octets, token)
    }
}
