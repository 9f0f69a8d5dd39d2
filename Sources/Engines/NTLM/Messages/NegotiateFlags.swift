/// The capabilities that client and server agree on (`NEGOTIATE`, MS-NLMP 2.2.2.5), in the specification's names
/// without their prefix.
public struct NegotiateFlags: OptionSet, Sendable {
    /// The 32 bits as a message holds them.
    public var rawValue: UInt32

    /// Takes the 32 bits of a message, unknown bits included.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bit A: names are UTF-16LE.
    public static let unicode = Self(rawValue: 0x0000_0001)
    /// Bit B: names are in the OEM code page.
    public static let oem = Self(rawValue: 0x0000_0002)
    /// Bit C: the client asks for the name of the server.
    public static let requestTarget = Self(rawValue: 0x0000_0004)
    /// Bit D: messages of the session will be signed.
    public static let sign = Self(rawValue: 0x0000_0010)
    /// Bit E: messages of the session will be encrypted.
    public static let seal = Self(rawValue: 0x0000_0020)
    /// Bit F: the transport is connectionless.
    public static let datagram = Self(rawValue: 0x0000_0040)
    /// Bit G: the session key comes from the LAN Manager hash.
    public static let lmKey = Self(rawValue: 0x0000_0080)
    /// Bit H: NTLM authentication.
    public static let ntlm = Self(rawValue: 0x0000_0200)
    /// Bit J: the client is anonymous.
    public static let anonymous = Self(rawValue: 0x0000_0800)
    /// Bit K: a NEGOTIATE names the client's domain.
    public static let oemDomainSupplied = Self(rawValue: 0x0000_1000)
    /// Bit L: a NEGOTIATE names the client's computer.
    public static let oemWorkstationSupplied = Self(rawValue: 0x0000_2000)
    /// Bit M: every message has a signature, or a dummy in its place.
    public static let alwaysSign = Self(rawValue: 0x0000_8000)
    /// Bit N: the target name is the name of a domain.
    public static let targetTypeDomain = Self(rawValue: 0x0001_0000)
    /// Bit O: the target name is the name of a server.
    public static let targetTypeServer = Self(rawValue: 0x0002_0000)
    /// Bit P: extended session security, the session keys of NTLMv2.
    public static let extendedSessionSecurity = Self(rawValue: 0x0008_0000)
    /// Bit Q: the client asks for an identity token.
    public static let identify = Self(rawValue: 0x0010_0000)
    /// Bit R: the session key comes from the LAN Manager hash.
    public static let requestNonNTSessionKey = Self(rawValue: 0x0040_0000)
    /// Bit S: the CHALLENGE carries target information.
    public static let targetInfo = Self(rawValue: 0x0080_0000)
    /// Bit T: the version field holds a version.
    public static let version = Self(rawValue: 0x0200_0000)
    /// Bit U: 128-bit session keys.
    public static let negotiate128 = Self(rawValue: 0x2000_0000)
    /// Bit V: the client chooses the session key and sends it encrypted.
    public static let keyExchange = Self(rawValue: 0x4000_0000)
    /// Bit W: 56-bit session keys.
    public static let negotiate56 = Self(rawValue: 0x8000_0000)
}

extension NegotiateFlags {
    /// Whether the client chooses the session key and sends it (MS-NLMP 3.1.5.1.2). Without signing or sealing another
    /// key has no use.
    package var exchangesKeys: Bool { contains(.keyExchange) && !isDisjoint(with: [.sign, .seal]) }

    /// Every named flag with its name in MS-NLMP 2.2.2.5, lowest bit first.
    package static let names: [(flag: NegotiateFlags, name: String)] = [
        (.unicode, "NTLMSSP_NEGOTIATE_UNICODE"), (.oem, "NTLM_NEGOTIATE_OEM"),
        (.requestTarget, "NTLMSSP_REQUEST_TARGET"), (.sign, "NTLMSSP_NEGOTIATE_SIGN"),
        (.seal, "NTLMSSP_NEGOTIATE_SEAL"), (.datagram, "NTLMSSP_NEGOTIATE_DATAGRAM"),
        (.lmKey, "NTLMSSP_NEGOTIATE_LM_KEY"), (.ntlm, "NTLMSSP_NEGOTIATE_NTLM"),
        (.anonymous, "NTLMSSP_ANONYMOUS"), (.oemDomainSupplied, "NTLMSSP_NEGOTIATE_OEM_DOMAIN_SUPPLIED"),
        (.oemWorkstationSupplied, "NTLMSSP_NEGOTIATE_OEM_WORKSTATION_SUPPLIED"),
        (.alwaysSign, "NTLMSSP_NEGOTIATE_ALWAYS_SIGN"), (.targetTypeDomain, "NTLMSSP_TARGET_TYPE_DOMAIN"),
        (.targetTypeServer, "NTLMSSP_TARGET_TYPE_SERVER"),
        (.extendedSessionSecurity, "NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY"),
        (.identify, "NTLMSSP_NEGOTIATE_IDENTIFY"),
        (.requestNonNTSessionKey, "NTLMSSP_REQUEST_NON_NT_SESSION_KEY"),
        (.targetInfo, "NTLMSSP_NEGOTIATE_TARGET_INFO"), (.version, "NTLMSSP_NEGOTIATE_VERSION"),
        (.negotiate128, "NTLMSSP_NEGOTIATE_128"), (.keyExchange, "NTLMSSP_NEGOTIATE_KEY_EXCH"),
        (.negotiate56, "NTLMSSP_NEGOTIATE_56"),
    ]
}

extension NegotiateFlags: CustomStringConvertible {
    /// The specification's names of the flags that are set, then the unnamed bits in hexadecimal.
    public var description: String {
        var parts = Self.names.filter { contains($0.flag) }.map(\.name)
        let rest = subtracting(Self.names.reduce(into: []) { $0.formUnion($1.flag) })
        if !rest.isEmpty { parts.append("0x" + String(rest.rawValue, radix: 16)) }
        return parts.isEmpty ? "none" : parts.joined(separator: " ")
    }
}
