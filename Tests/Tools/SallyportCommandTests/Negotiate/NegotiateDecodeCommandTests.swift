import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct NegotiateDecodeCommandTests {
    private func decode(_ arguments: String...) throws -> SallyportRun {
        try SallyportRun(["negotiate", "decode"] + arguments)
    }

    /// The first token of MIT Kerberos with gss-ntlmssp in it, and the last one of its server.
    private static let firstToken =
        "YEgGBisGAQUFAqA+MDygDjAMBgorBgEEAYI3AgIKoioEKE5UTE1TU1AAAQAAABeCCOIAAAAAAAAAAAAAAAAAAAAABgIAAAAAAA8="
    private static let lastToken = "oRswGaADCgEAoxIEEAEAAABjcYt9YGX5iQAAAAA="

    @Test("A first token with NTLM in it") func first() throws {
        let run = try decode("--json", Self.firstToken)
        #expect(run.status == 0 && run.error.isEmpty)
        let json = try run.json()
        #expect(json["Token"] as? String == "NegTokenInit")
        #expect(json["mechTypes"] as? NSArray == [["Identifier": "1.3.6.1.4.1.311.2.2.10", "Name": "NTLM"]])
        let message = json["mechToken"] as? NSDictionary
        #expect(message?["Message"] as? String == "NEGOTIATE_MESSAGE")
        #expect(message?["NegotiateFlags"] as? UInt32 == 0xe208_8217)
        let lines = try decode("Negotiate " + Self.firstToken).output
        #expect(lines.hasPrefix("Token  NegTokenInit\nmechTypes\n  1.3.6.1.4.1.311.2.2.10  NTLM\nmechToken\n  Message"))
        #expect(lines.contains("  NegotiateFlagNames\n    NTLMSSP_NEGOTIATE_UNICODE\n"))
    }

    @Test("A hyphen is standard input, as for other commands") func hyphen() throws {
        let run = try SallyportRun(["negotiate", "decode", "-"], input: "Negotiate \(Self.lastToken)\n".utf8)
        #expect(run.status == 0 && run.output.contains("accept-completed"), "\(run.error)")
    }

    @Test("A last token") func last() throws {
        let json = try decode("--json", Self.lastToken).json()
        #expect(json["Token"] as? String == "NegTokenResp" && json["negState"] as? String == "accept-completed")
        #expect(json["mechListMIC"] as? String == "0100000063718b7d6065f98900000000")
        #expect(json["responseToken"] is NSNull)
    }

    @Test("A ticket without its content, NTLM without a frame, and an unknown mechanism") func others() throws {
        // 60 0f 06 09 1.2.840.113554.1.2.2 01 00 6e 00
        let ticket = try decode("--json", "YA8GCSqGSIb3EgECAgEAbgA=").json()
        #expect(ticket["Token"] as? String == "Kerberos" && ticket["TOK_ID"] as? String == "AP-REQ")
        let raw = try decode("--json", NTLMExamples.base64(NTLMExamples.negotiate)).json()
        #expect(raw["Message"] as? String == "NEGOTIATE_MESSAGE")
        // 60 04 06 02 1.2.3
        let other = try decode("--json", "YAQGAioD").json()
        #expect(other["Token"] as? String == "GSS-API")
        #expect((other["thisMech"] as? NSDictionary)?["Identifier"] as? String == "1.2.3")
    }

    @Test(
        "What cannot be read is one line, and exit status 2",
        arguments: [
            ("AAAA", "neither SPNEGO nor Kerberos nor NTLM"), ("oRswGaADCgE=", "ends inside the element"),
            ("=", "base64"),
            ("oQQwAgAA", "byte 4"),
        ]
    )
    func defects(token: String, part: String) throws {
        let run = try decode(token)
        #expect(run.status == 2 && run.output.isEmpty && run.error.hasPrefix("sallyport negotiate decode: "))
        #expect(run.error.contains(part) && run.error.split(separator: "\n").count == 1)
    }
}
