internal import WireFormat

/// A security mechanism that SPNEGO negotiates, by its object identifier.
public enum Mechanism: Hashable, Sendable, CaseIterable {
    /// Kerberos 5, 1.2.840.113554.1.2.2 (RFC 4121).
    case kerberos
    /// Kerberos 5 under the identifier of Windows 2000, 1.2.840.48018.1.2.2 (MS-SPNG 2.2.1): the same tokens.
    case microsoftKerberos
    /// NTLM, 1.3.6.1.4.1.311.2.2.10 (MS-SPNG 2.2.1).
    case ntlm
    /// NegoEx, 1.3.6.1.4.1.311.2.2.30 (MS-NEGOEX); recognised and never chosen.
    case negoEx

    /// The identifier of SPNEGO itself, 1.3.6.1.5.5.2, in DER without tag and length.
    static let spnegoIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x02]

    private static let kerberosIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x12, 0x01, 0x02, 0x02]
    private static let microsoftKerberosIdentifier: [UInt8] = [0x2A, 0x86, 0x48, 0x82, 0xF7, 0x12, 0x01, 0x02, 0x02]
    private static let ntlmIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0A]
    private static let negoExIdentifier: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x1E]

    /// The object identifier in DER, without tag and length.
    package var identifier: [UInt8] {
        switch self {
        case .kerberos: Self.kerberosIdentifier
        case .microsoftKerberos: Self.microsoftKerberosIdentifier
        case .ntlm: Self.ntlmIdentifier
        case .negoEx: Self.negoExIdentifier
        }
    }

    /// The mechanism whose identifier is at `range` of `bytes`; `nil` for another one.
    package init?(at range: Range<Int>, in bytes: Span<UInt8>) {
        guard let found = Self.allCases.first(where: { bytes.hold($0.identifier, at: range) }) else { return nil }
        self = found
    }

    /// Whether both have the same tokens.
    package func isSame(as other: Mechanism) -> Bool { family == other.family }

    private var family: Mechanism { self == .microsoftKerberos ? .kerberos : self }
}

extension Mechanism: CustomStringConvertible {
    /// The name in plain words.
    public var description: String {
        switch self {
        case .kerberos: "Kerberos"
        case .microsoftKerberos: "Kerberos (Windows 2000)"
        case .ntlm: "NTLM"
        case .negoEx: "NegoEx"
        }
    }
}

extension Span<UInt8> {
    /// Whether the bytes at `range` are `expected`.
    func hold(_ expected: [UInt8], at range: Range<Int>) -> Bool {
        guard range.count == expected.count, range.upperBound <= count else { return false }
        for offset in 0..<expected.count where self[range.lowerBound + offset] != expected[offset] { return false }
        return true
    }
}
