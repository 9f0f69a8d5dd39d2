internal import SPKIPins
internal import WireFormat

/// The parts of a revocation list (RFC 5280 section 5.1).
///
/// ```
/// SEQUENCE                            CertificateList, fills the bytes given
///   SEQUENCE                          TBSCertList
///     INTEGER                         version; absent in version 1
///     SEQUENCE                        signature
///     SEQUENCE                        issuer
///     time, time                      thisUpdate, nextUpdate
///     SEQUENCE                        revokedCertificates; absent in an empty list
///       SEQUENCE { INTEGER, time, SEQUENCE }   serial, date, extensions or nothing
///     [0] { SEQUENCE }                extensions, or nothing
///   SEQUENCE                          signatureAlgorithm, the same as above
///   BIT STRING                        signature
/// ```
struct RevocationListWalk {
    let toBeSigned: Range<Int>
    /// The identifier of the algorithm, dotted.
    let algorithm: String
    /// The bytes of the signature.
    let signature: Range<Int>
    let issuer: Range<Int>
    let thisUpdate: Int64
    let nextUpdate: Int64?
    /// The identifier of the key that has signed, if the list names it.
    private(set) var keyIdentifier: Range<Int>?
    /// Why the list alone does not say which certificates of its issuer are revoked; `nil` if it does.
    private(set) var refusal: RevocationListError?

    /// The parts of a list, and the offsets of the entries that revoke.
    static func walk(through bytes: [UInt8]) throws(CertificateError) -> (RevocationListWalk, [UInt32]) {
        var entries: [UInt32] = []
        let walk = try RevocationListWalk(bytes.span, &entries)
        return (walk, entries)
    }

    private init(_ bytes: Span<UInt8>, _ entries: inout [UInt32]) throws(CertificateError) {
        var whole = DERReader(over: 0..<bytes.count)
        var parts = DERReader(over: try whole.readElement(DERTag.sequence, in: bytes).contents)
        try whole.finish()
        let signed = try parts.readElement(DERTag.sequence, in: bytes)
        let outer = try parts.readElement(DERTag.sequence, in: bytes)
        let bits = try parts.readElement(DERTag.bitString, in: bytes)
        try parts.finish()
        // No algorithm has a signature that ends within a byte.
        guard let unused = bits.contents.first, bytes[unused] == 0 else { throw .invalidBitString(offset: bits.start) }
        toBeSigned = signed.range
        signature = bits.contents.dropFirst()
        var identifier = DERReader(over: outer.contents)
        algorithm = try dottedIdentifier(&identifier, in: bytes)

        var fields = DERReader(over: signed.contents)
        _ = try fields.readElement(ifTag: DERTag.integer, in: bytes)
        let inner = try fields.readElement(DERTag.sequence, in: bytes)
        // Only the inner one is signed (RFC 5280 section 5.1.1.2).
        guard Self.isSame(inner.contents, outer.contents, in: bytes) else {
            throw .invalidContents(offset: inner.start)
        }
        issuer = try fields.readElement(DERTag.sequence, in: bytes).range
        thisUpdate = try Self.time(&fields, in: bytes)
        var next = fields
        let tag = try next.isAtEnd ? 0 : next.readElement(in: bytes).tag
        nextUpdate = try tag == DERTag.utcTime || tag == DERTag.generalizedTime ? Self.time(&fields, in: bytes) : nil
        if let list = try fields.readElement(ifTag: DERTag.sequence, in: bytes) {
            try readEntries(list, in: bytes, &entries)
        }
        if let extensions = try fields.readElement(ifTag: DERTag.explicit0, in: bytes) {
            try readExtensions(extensions, in: bytes)
        }
        try fields.finish()
    }

    private mutating func refuse(_ error: RevocationListError) { refusal = refusal ?? error }

    private static func isSame(_ one: Range<Int>, _ other: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { bytes[$0] == bytes[$1] }
    }

    private static func time(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(CertificateError) -> Int64 {
        let time = try reader.readElement(in: bytes)
        guard time.tag == DERTag.utcTime || time.tag == DERTag.generalizedTime else {
            throw .invalidTime(offset: time.start)
        }
        return try unixSeconds(ofTime: time, in: bytes)
    }

    // MARK: - Entries

    private mutating func readEntries(
        _ list: DERElement,
        in bytes: Span<UInt8>,
        _ entries: inout [UInt32]
    ) throws(CertificateError) {
        var reader = DERReader(over: list.contents)
        while !reader.isAtEnd {
            let start = reader.offset
            _ = try reader.readElement(DERTag.sequence, in: bytes)
            let (entry, unknown) = try Self.readEntry(at: start, in: bytes)
            if let unknown {
                refuse(unknown == Self.certificateIssuer ? .indirect : .unknownExtension(unknown, isOfEntry: true))
            }
            // Only a delta should have such an entry. It takes a hold back (RFC 5280 section 5.3.1).
            if entry.reason != .removeFromCRL { entries.append(UInt32(start)) }
        }
    }

    private static let certificateIssuer = "2.5.29.29"
    /// Since when, and how to ask about a hold.
    private static let entryExtensions: Set = ["2.5.29.24", "2.5.29.23"]

    /// The entry that begins at an offset.
    static func entry(at start: Int, in bytes: [UInt8]) throws(CertificateError) -> RevocationList.Entry {
        try readEntry(at: start, in: bytes.span).entry
    }

    /// - Returns: the entry, and the first critical extension that is not known.
    private static func readEntry(
        at start: Int,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> (entry: RevocationList.Entry, unknown: String?) {
        var outer = DERReader(over: start..<bytes.count)
        var parts = DERReader(over: try outer.readElement(DERTag.sequence, in: bytes).contents)
        let serial = try parts.readElement(DERTag.integer, in: bytes)
        try checkInteger(serial.contents, in: bytes)
        // RFC 5280 allows 20 bytes. The table takes a length of one byte.
        guard serial.contents.count < 0x80 else { throw .invalidContents(offset: serial.start) }
        let date = try time(&parts, in: bytes)
        var (reason, unknown) = (RevocationReason.unspecified, nil as String?)
        if let list = try parts.readElement(ifTag: DERTag.sequence, in: bytes) {
            var items = DERReader(over: list.contents)
            while !items.isAtEnd {
                let item = try Item(&items, in: bytes)
                // Nearly every extension is this one, so no text is made for it.
                guard !item.isReason(in: bytes) else {
                    reason = try RevocationReason(item.value, in: bytes)
                    continue
                }
                let identifier = try item.identifier(in: bytes)
                if item.isCritical, !entryExtensions.contains(identifier) { unknown = unknown ?? identifier }
            }
        }
        try parts.finish()
        return (RevocationList.Entry(date: date, reason: reason), unknown)
    }

    // MARK: - Extensions

    /// One extension.
    private struct Item {
        private let type: DERElement
        let isCritical: Bool
        /// The contents of the OCTET STRING.
        let value: Range<Int>

        init(_ items: inout DERReader, in bytes: Span<UInt8>) throws(CertificateError) {
            var parts = DERReader(over: try items.readElement(DERTag.sequence, in: bytes).contents)
            type = try parts.readElement(DERTag.objectIdentifier, in: bytes)
            let critical = try parts.readElement(ifTag: DERTag.boolean, in: bytes)
            isCritical = critical.map { $0.contents.contains { bytes[$0] != 0 } } ?? false
            value = try parts.readElement(DERTag.octetString, in: bytes).contents
            try parts.finish()
        }

        /// The identifier, dotted.
        func identifier(in bytes: Span<UInt8>) throws(CertificateError) -> String {
            var reader = DERReader(over: type.range)
            return try dottedIdentifier(&reader, in: bytes)
        }

        /// Whether it is reasonCode, 2.5.29.21 (RFC 5280 section 5.3.1).
        func isReason(in bytes: Span<UInt8>) -> Bool {
            let start = type.contents.lowerBound
            return type.contents.count == 3 && bytes[start] == 0x55 && bytes[start + 1] == 0x1D
                && bytes[start + 2] == 0x15
        }
    }

    private mutating func readExtensions(_ wrapper: DERElement, in bytes: Span<UInt8>) throws(CertificateError) {
        var inside = DERReader(over: wrapper.contents)
        var items = DERReader(over: try inside.readElement(DERTag.sequence, in: bytes).contents)
        try inside.finish()
        while !items.isAtEnd {
            let item = try Item(&items, in: bytes)
            let identifier = try item.identifier(in: bytes)
            switch identifier {
            // A number of the list.
            case "2.5.29.20": continue
            case "2.5.29.27": refuse(.delta)
            case "2.5.29.28": try readDistributionPoint(item.value, in: bytes)
            case "2.5.29.35": keyIdentifier = try Self.keyIdentifier(item.value, in: bytes)
            default: if item.isCritical { refuse(.unknownExtension(identifier, isOfEntry: false)) }
            }
        }
    }

    /// The identifier of authorityKeyIdentifier (RFC 5280 section 4.2.1.1): `[0]`, its first member, or nothing.
    private static func keyIdentifier(
        _ value: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> Range<Int>? {
        var reader = DERReader(over: value)
        var members = DERReader(over: try reader.readElement(DERTag.sequence, in: bytes).contents)
        return try members.readElement(ifTag: 0x80, in: bytes)?.contents
    }

    /// issuingDistributionPoint (RFC 5280 section 5.2.5). That a list has a part of the certificates, or of the reasons, changes nothing: one that is
    /// on it is revoked.
    private mutating func readDistributionPoint(_ value: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(over: value)
        var members = DERReader(over: try reader.readElement(DERTag.sequence, in: bytes).contents)
        try reader.finish()
        while !members.isAtEnd {
            let member = try members.readElement(in: bytes)
            let isSet = member.contents.contains { bytes[$0] != 0 }
            switch member.tag {
            case 0x84 where isSet: refuse(.indirect)
            case 0x85 where isSet: refuse(.attributes)
            // Its name, the kinds of certificates, and the reasons.
            case 0xA0, 0x81, 0x82, 0x83, 0x84, 0x85: continue
            default: throw .unexpectedTag(offset: member.start, expected: 0xA0, found: member.tag)
            }
        }
    }
}

extension RevocationReason {
    /// Reads the ENUMERATED of reasonCode. A number that the specification does not define counts as unspecified.
    fileprivate init(_ value: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) {
        var reader = DERReader(over: value)
        let number = try reader.readElement(0x0A, in: bytes)
        try reader.finish()
        guard number.contents.count == 1, let only = number.contents.first else {
            throw .invalidContents(offset: number.start)
        }
        self = RevocationReason(rawValue: bytes[only]) ?? .unspecified
    }
}
