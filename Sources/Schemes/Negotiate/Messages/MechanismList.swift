internal import WireFormat

/// The mechanisms that a client offers (`MechTypeList`, RFC 4178 section 4.1), the best first.
///
/// ```
/// 30 L ─ 06 L identifier ─ 06 L identifier …
/// ```
public struct MechanismList: Equatable, Sendable {
    /// The list in DER. The integrity code covers these bytes.
    package let bytes: [UInt8]
    /// The mechanisms that have a name here, in their order.
    public let known: [Mechanism]
    /// Whether the first mechanism of the list is `known[0]`.
    package let beginsKnown: Bool

    /// Offers `mechanisms`.
    ///
    /// - Precondition: there is one at least.
    package init(_ mechanisms: [Mechanism]) {
        precondition(!mechanisms.isEmpty, "a client offers a mechanism")
        let size = mechanisms.reduce(0) { $0 + DERSize.element($1.identifier.count) }
        bytes = ByteWriter.filling(count: DERSize.element(size)) { writer in
            writer.put(tag: NegotiationTag.sequence, count: size)
            for mechanism in mechanisms {
                let identifier = mechanism.identifier
                writer.put(tag: NegotiationTag.identifier, count: identifier.count)
                writer.put(identifier.span)
            }
        }
        known = mechanisms
        beginsKnown = true
    }

    /// Reads the list at `range`, its tag and length included, which ``InitialMessage`` has checked.
    package init(at range: Range<Int>, in bytes: Span<UInt8>) {
        self.bytes = [UInt8](copying: bytes.extracting(range))
        var known: [Mechanism] = []
        var beginsKnown = false
        var isFirst = true
        Self.forEach(at: range, in: bytes) { identifier in
            if let mechanism = Mechanism(at: identifier, in: bytes) {
                known.append(mechanism)
                if isFirst { beginsKnown = true }
            }
            isFirst = false
        }
        (self.known, self.beginsKnown) = (known, beginsKnown)
    }

    /// Only NTLM.
    package static let ntlm = MechanismList([.ntlm])
    /// Only Kerberos.
    static let kerberos = MechanismList([.kerberos])
    /// Kerberos, then NTLM.
    static let kerberosAndNTLM = MechanismList([.kerberos, .ntlm])

    /// Calls `body` with the place of each identifier of a list that has been checked.
    package static func forEach(at range: Range<Int>, in bytes: Span<UInt8>, _ body: (Range<Int>) -> Void) {
        var outer = NegotiationReader(range)
        guard let content = try? outer.read(NegotiationTag.sequence, in: bytes) else { return }
        var reader = NegotiationReader(content)
        while !reader.isAtEnd, let identifier = try? reader.read(NegotiationTag.identifier, in: bytes) {
            body(identifier)
        }
    }

    /// Checks a list: well-formed identifiers, not too many, one at least.
    static func check(_ content: Range<Int>, in bytes: Span<UInt8>) throws(NegotiationError) {
        var reader = NegotiationReader(content)
        var count = 0
        repeat {
            try checkIdentifier(try reader.read(NegotiationTag.identifier, in: bytes), in: bytes)
            count += 1
            guard count <= NegotiationLimits.mechanisms else { throw .tooManyMechanisms }
        } while !reader.isAtEnd
    }

    /// X.690 8.19: groups of seven bits, none of which begins with zeros, and the last of which ends.
    static func checkIdentifier(_ range: Range<Int>, in bytes: Span<UInt8>) throws(NegotiationError) {
        guard 1...NegotiationLimits.identifierBytes ~= range.count, bytes[range.upperBound - 1] < 0x80 else {
            throw .malformedValue(offset: range.lowerBound)
        }
        var isStart = true
        for index in range {
            guard !isStart || bytes[index] != 0x80 else { throw .malformedValue(offset: index) }
            isStart = bytes[index] < 0x80
        }
    }
}
