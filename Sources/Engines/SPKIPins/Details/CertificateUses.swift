internal import WireFormat

/// What the extensions of a certificate allow its key to do (RFC 5280 4.2.1.3 and 4.2.1.12).
public struct CertificateUses: Equatable, Sendable {
    /// The uses of keyUsage by their names in RFC 5280, such as `digitalSignature`; `nil` without the extension, which allows all.
    public let keyUsage: [String]?
    /// The purposes of extKeyUsage as dotted identifiers; `nil` without the extension, which allows all.
    public let purposes: [String]?

    /// The purpose of clients in TLS.
    public static let clientAuthentication = "1.3.6.1.5.5.7.3.2"
    /// Any purpose.
    public static let anyPurpose = "2.5.29.37.0"

    /// Whether TLS servers accept a signature of this key as that of a client.
    public var allowClientAuthentication: Bool {
        let signs = keyUsage.map { $0.contains("digitalSignature") } ?? true
        let isForClients =
            purposes.map { $0.contains(Self.clientAuthentication) || $0.contains(Self.anyPurpose) } ?? true
        return signs && isForClients
    }

    /// Reads both extensions of one certificate in DER.
    ///
    /// - Complexity: O(*n*).
    public init(of certificate: Span<UInt8>) throws(CertificateError) {
        var (keyUsage, purposes): ([String]?, [String]?) = (nil, nil)
        for item in try CertificateExtensions.items(of: certificate) {
            switch item.identifier {
            case "2.5.29.15": keyUsage = try Self.readUsage(item.value, in: certificate)
            case "2.5.29.37": purposes = try Self.readPurposes(item.value, in: certificate)
            default: break
            }
        }
        (self.keyUsage, self.purposes) = (keyUsage, purposes)
    }

    /// The bits of keyUsage, bit 0 first.
    private static let usageNames = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
        "cRLSign", "encipherOnly", "decipherOnly",
    ]

    private static func readUsage(
        _ contents: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> [String] {
        var reader = DERReader(over: contents)
        let bits = try reader.readElement(DERTag.bitString, in: bytes)
        try reader.finish()
        try CertificateFrame.checkBitString(bits, in: bytes)
        return usageNames.enumerated().compactMap { index, name in
            // The first byte of the contents counts unused bits.
            let byte = bits.contents.lowerBound + 1 + index / 8
            guard byte < bits.contents.upperBound else { return nil }
            return bytes[byte] & 0x80 >> UInt8(index % 8) == 0 ? nil : name
        }
    }

    private static func readPurposes(
        _ contents: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(CertificateError) -> [String] {
        var reader = DERReader(over: contents)
        var list = DERReader(over: try reader.readElement(DERTag.sequence, in: bytes).contents)
        try reader.finish()
        var purposes: [String] = []
        while !list.isAtEnd { purposes.append(try dottedIdentifier(&list, in: bytes)) }
        return purposes
    }
}
