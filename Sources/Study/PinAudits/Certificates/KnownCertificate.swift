internal import SPKIPins
internal import WireFormat

/// The fields of a certificate that the audit uses: key, subject, issuer, key identifiers and validity.
struct KnownCertificate {
    /// A Name (RFC 5280 4.1.2.4), as DER, so that names are compared byte by byte.
    typealias Name = [UInt8]

    let pin: Pin
    let subject: Name
    let issuer: Name
    /// The key identifiers of RFC 5280 4.2.1.1 and 4.2.1.2. They distinguish the old and new key of an authority that
    /// kept its name.
    let ownIdentifier: [UInt8]?
    let issuerIdentifier: [UInt8]?
    /// `nil` if names, dates or extensions are malformed; ``detailsError`` has the reason.
    let details: CertificateDetails?
    let detailsError: CertificateError?

    init(of certificate: [UInt8]) throws(CertificateError) {
        let bytes = certificate.span
        let walk = try CertificateWalk(of: bytes)
        pin = Pin(hashing: bytes.extracting(walk.subjectPublicKeyInfo.range))
        subject = Array(certificate[walk.subject])
        issuer = Array(certificate[walk.issuer])
        do throws(CertificateError) {
            details = try CertificateDetails(of: bytes)
            detailsError = nil
        } catch {
            (details, detailsError) = (nil, error)
        }
        let identifiers = KeyIdentifiers(behind: walk.subjectPublicKeyInfo.range.upperBound, in: certificate)
        ownIdentifier = identifiers.own
        issuerIdentifier = identifiers.issuer
    }

    /// Whether it names itself as its issuer, as roots do.
    var isSelfIssued: Bool { subject == issuer }

    /// Whether it may have issued `other`, by name, and by key identifier if both certificates have one.
    func mayHaveIssued(_ other: KnownCertificate) -> Bool {
        guard subject == other.issuer else { return false }
        guard let ownIdentifier, let wanted = other.issuerIdentifier else { return true }
        return ownIdentifier == wanted
    }

    /// The subject as text, or a description with the pin.
    var name: String { details?.subject ?? "a certificate with the key \(pin)" }
}

/// The key identifiers among the extensions of a certificate.
private struct KeyIdentifiers {
    private(set) var own: [UInt8]?
    private(set) var issuer: [UInt8]?

    // RFC 5280 4.2.1.2 and 4.2.1.1: 2.5.29.14 and 2.5.29.35
    private static let ownKey: [UInt8] = [0x55, 0x1D, 0x0E]
    private static let issuerKey: [UInt8] = [0x55, 0x1D, 0x23]
    /// `[0] IMPLICIT KeyIdentifier`, a primitive element.
    private static let keyIdentifierTag: UInt8 = 0x80

    /// Reads the extensions, which follow the key. Malformed extensions are ignored.
    init(behind keyEnd: Int, in certificate: [UInt8]) {
        try? read(behind: keyEnd, in: certificate.span)
    }

    private mutating func read(behind keyEnd: Int, in bytes: Span<UInt8>) throws(CertificateError) {
        var whole = DERReader(over: 0..<bytes.count)
        var parts = DERReader(over: try whole.readElement(in: bytes).contents)
        let toBeSigned = try parts.readElement(in: bytes).contents
        var fields = DERReader(over: keyEnd..<toBeSigned.upperBound)
        while !fields.isAtEnd {
            let field = try fields.readElement(in: bytes)
            guard field.tag == DERTag.explicit3 else { continue }
            var inside = DERReader(over: field.contents)
            var items = DERReader(over: try inside.readElement(DERTag.sequence, in: bytes).contents)
            while !items.isAtEnd { try readItem(try items.readElement(DERTag.sequence, in: bytes).contents, in: bytes) }
        }
    }

    private mutating func readItem(_ item: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) {
        var parts = DERReader(over: item)
        let identifier = try parts.readElement(DERTag.objectIdentifier, in: bytes).contents
        _ = try parts.readElement(ifTag: DERTag.boolean, in: bytes)
        let value = try parts.readElement(DERTag.octetString, in: bytes).contents
        var inside = DERReader(over: value)
        if equal(bytes, identifier, Self.ownKey) {
            own = copy(try inside.readElement(DERTag.octetString, in: bytes).contents, of: bytes)
        } else if equal(bytes, identifier, Self.issuerKey) {
            var fields = DERReader(over: try inside.readElement(DERTag.sequence, in: bytes).contents)
            let key = try fields.readElement(ifTag: Self.keyIdentifierTag, in: bytes)
            issuer = key.map { copy($0.contents, of: bytes) }
        }
    }

    private func copy(_ range: Range<Int>, of bytes: Span<UInt8>) -> [UInt8] { range.map { bytes[$0] } }
}
