import Testing

@testable import SystemKerberos

@Suite struct KerberosErrorTests {
    /// Numbers of RFC 4120, 7.5.9, over MIT's base, which `krb5.h` prints: KDC_ERR_PREAUTH_FAILED is 24 there and -1765328360 here.
    @Test(
        "The numbers of the protocol are known",
        arguments: [
            (6, "unknownAccount"), (7, "unknownService"), (14, "encryptionType"), (18, "accountDisabled"),
            (23, "passwordExpired"), (24, "wrongPassword"), (32, "ticketExpired"), (34, "replayed"), (37, "clockSkew"),
        ]
    )
    func numbers(protocolNumber: Int32, reason: String) {
        let minor = UInt32(bitPattern: -1_765_328_360 - 24 + protocolNumber)
        #expect(KerberosNumber.reason(of: minor, .initiate)?.rawValue == reason)
    }

    /// Numbers of routine errors from RFC 2744, 3.9.1, shifted by 16 bits.
    @Test(
        "The numbers of GSS-API are known",
        arguments: [
            (4, "bindingsMismatch"), (6, "badIntegrity"), (7, "noTicket"), (9, "malformedToken"), (11, "ticketExpired"),
            (12, "ticketExpired"), (13, "other"), (16, "unsupported"),
        ]
    )
    func routines(number: UInt32, reason: String) {
        let status = Status(major: number << 16, minor: 0)
        #expect(!status.isSuccess && KerberosLibrary.reason(of: status, .initiate).rawValue == reason)
    }

    @Test("Every reason reads as one line with a problem and a remedy", arguments: KerberosError.Reason.allCases)
    func lines(reason: KerberosError.Reason) {
        let text = KerberosError(.initiate, reason, about: "HTTP/a\nb", detail: "x\u{1B}[31m").description
        #expect(text.hasPrefix("Kerberos cannot log on for HTTP/a\\nb: \(reason.problem) (x\\u{1B}[31m); "))
        #expect(!reason.remedy.isEmpty && !text.contains("\n"))
    }

    @Test("A foreign text is cut")
    func cut() {
        #expect(KerberosText.shown(String(repeating: "é", count: 10_000)).utf8.count < 2_000)
        #expect(KerberosText.shown("abc") == "abc")
    }
}
