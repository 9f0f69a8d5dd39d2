import WireFormat

/// MS-NLMP 4.2.1 and 4.2.4: the example of an NTLMv2 handshake.
enum SpecificationExample {
    static let user = "User"
    static let domain = "Domain"
    static let password = "Password"
    static let serverChallenge: UInt64 = 0xefcd_ab89_6745_2301
    static let clientChallenge: UInt64 = 0xaaaa_aaaa_aaaa_aaaa
    static let exportedSessionKey: [UInt8] = [UInt8](repeating: 0x55, count: 16)

    static let ntHash = "a4f49c406510bdcab6824ee7c30fd852"
    static let ntowfV2 = "0c868a403bfd7a93a3001ef22ef02e3f"
    static let sessionBaseKey = "8de40ccadbc14a82f15cb0ad0de95ca3"
    static let lmv2 = "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa"
    static let ntProofStr = "68cd0ab851e51c96aabc927bebef6a1c"
    static let encryptedSessionKey = "c5dad2544fc9799094ce1ce90bc9d03e"
    static let targetInfo = "02000c0044006f006d00610069006e0001000c0053006500720076006500720000000000"
    static let temp = "01010000000000000000000000000000aaaaaaaaaaaaaaaa00000000" + targetInfo + "00000000"

    /// 4.2.4.3, CHALLENGE_MESSAGE.
    static let challenge =
        "4e544c4d53535000020000000c000c003800000033828ae20123456789abcdef0000000000000000240024004400000006007017"
        + "0000000f530065007200760065007200" + targetInfo

    /// 4.2.4.3, AUTHENTICATE_MESSAGE.
    static let authenticate =
        "4e544c4d5353500003000000180018006c00000054005400840000000c000c0048000000080008005400000010001000"
        + "5c00000010001000d8000000358288e20501280a0000000f44006f006d00610069006e00550073006500720043004f00"
        + "4d0050005500540045005200" + lmv2 + ntProofStr + temp + encryptedSessionKey

    static func bytes(_ hexadecimal: String) throws -> [UInt8] { try Hexadecimal.decode(hexadecimal) }
}
