import Foundation
import LiveServers
import Testing

@Suite(.inTurn) struct NTLMDecodeCommandTests {
    private func decode(_ arguments: String...) throws -> SallyportRun {
        try SallyportRun(["ntlm", "decode"] + arguments)
    }

    private func fields(_ value: Any?) -> NSDictionary { value as? NSDictionary ?? [:] }

    @Test("MS-NLMP 4.2.4.3: CHALLENGE_MESSAGE") func challenge() throws {
        let run = try decode(NTLMExamples.base64(NTLMExamples.challenge))
        #expect(run.status == 0 && run.error.isEmpty)
        let json = try run.json()
        #expect(json["Message"] as? String == "CHALLENGE_MESSAGE" && json["MessageType"] as? Int == 2)
        #expect(json["NegotiateFlags"] as? UInt32 == 0xe28a_8233)
        #expect(
            json["NegotiateFlagNames"] as? [String] == [
                "NTLMSSP_NEGOTIATE_UNICODE", "NTLM_NEGOTIATE_OEM", "NTLMSSP_NEGOTIATE_SIGN", "NTLMSSP_NEGOTIATE_SEAL",
                "NTLMSSP_NEGOTIATE_NTLM", "NTLMSSP_NEGOTIATE_ALWAYS_SIGN", "NTLMSSP_TARGET_TYPE_SERVER",
                "NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY", "NTLMSSP_NEGOTIATE_TARGET_INFO",
                "NTLMSSP_NEGOTIATE_VERSION", "NTLMSSP_NEGOTIATE_128", "NTLMSSP_NEGOTIATE_KEY_EXCH",
                "NTLMSSP_NEGOTIATE_56",
            ]
        )
        #expect(json["ServerChallenge"] as? String == "0123456789abcdef")
        #expect(json["TargetName"] as? String == "Server")
        #expect(fields(json["TargetNameFields"]) == ["Len": 12, "MaxLen": 12, "BufferOffset": 56])
        #expect(
            fields(json["Version"]) == [
                "ProductMajorVersion": 6, "ProductMinorVersion": 0, "ProductBuild": 6000, "NTLMRevisionCurrent": 15,
            ]
        )
        #expect(
            json["TargetInfo"] as? NSArray == [
                ["AvId": 2, "Name": "MsvAvNbDomainName", "AvLen": 12, "Value": "Domain"],
                ["AvId": 1, "Name": "MsvAvNbComputerName", "AvLen": 12, "Value": "Server"],
            ]
        )
    }

    @Test("MS-NLMP 4.2.4.3: AUTHENTICATE_MESSAGE") func authenticate() throws {
        let json = try decode("NTLM " + NTLMExamples.base64(NTLMExamples.authenticate)).json()
        #expect(json["Message"] as? String == "AUTHENTICATE_MESSAGE" && json["MessageType"] as? Int == 3)
        #expect(json["NegotiateFlags"] as? UInt32 == 0xe288_8235)
        #expect(json["DomainName"] as? String == "Domain" && json["UserName"] as? String == "User")
        #expect(json["Workstation"] as? String == "COMPUTER")
        #expect(json["LmChallengeResponse"] as? String == "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa")
        #expect(json["EncryptedRandomSessionKey"] as? String == "c5dad2544fc9799094ce1ce90bc9d03e")
        #expect(json["MIC"] is NSNull)
        let response = fields(json["NTLMv2_RESPONSE"])
        #expect(response["Response"] as? String == "68cd0ab851e51c96aabc927bebef6a1c")
        #expect(response["ChallengeFromClient"] as? String == "aaaaaaaaaaaaaaaa")
        #expect(fields(response["TimeStamp"]) == ["FILETIME": 0, "UTC": "1601-01-01T00:00:00Z"])
        #expect((response["AvPairs"] as? NSArray)?.count == 2)
    }

    @Test("A NEGOTIATE, and attributes that are clocks, flags or unknown") func others() throws {
        let negotiate = try decode("negotiate", NTLMExamples.base64(NTLMExamples.negotiate)).json()
        #expect(negotiate["Message"] as? String == "NEGOTIATE_MESSAGE" && negotiate["DomainName"] as? String == "")
        #expect(fields(negotiate["Version"])["ProductBuild"] as? Int == 17763)
        let json = try decode(NTLMExamples.base64(NTLMExamples.challengeWithClock)).json()
        // 133500000000000000 steps: `date -u -d @$((13350000000 - 11644473600))`.
        #expect(
            json["TargetInfo"] as? NSArray == [
                ["AvId": 2, "Name": "MsvAvNbDomainName", "AvLen": 8, "Value": "ACME"],
                ["AvId": 1, "Name": "MsvAvNbComputerName", "AvLen": 8, "Value": "WIKI"],
                [
                    "AvId": 7, "Name": "MsvAvTimestamp", "AvLen": 8,
                    "Value": ["FILETIME": 133_500_000_000_000_000, "UTC": "2024-01-17T21:20:00Z"],
                ],
                ["AvId": 32, "Name": NSNull(), "AvLen": 2, "Value": "0102"],
            ]
        )
    }

    @Test("The message may come on standard input, with a line ending or without") func standardInput() throws {
        let token = "NTLM " + NTLMExamples.base64(NTLMExamples.authenticate)
        let expected = try decode(token).output
        for ending in ["", "\n", "\r\n"] {
            #expect(try SallyportRun(["ntlm", "decode"], input: (token + ending).utf8).output == expected)
        }
        let empty = try SallyportRun(["ntlm", "decode"])
        #expect(empty.status == 2 && empty.error.contains("the token is empty"))
        let endless = try SallyportRun(["ntlm", "decode"], input: repeatElement(UInt8(ascii: "A"), count: 200_000))
        #expect(endless.status == 2 && endless.error.split(separator: "\n").count == 1)
    }

    @Test("A token may be wrapped into lines, as base64 and mail write it", arguments: ["\n", "\r\n", " \r\n\t"])
    func wrapped(ending: String) throws {
        let token = NTLMExamples.base64(NTLMExamples.authenticate)
        let expected = try decode(token).output
        for (length, scheme) in [(64, ""), (76, "NTLM "), (76, "NTLM" + ending), (76, ending + "NTLM ")] {
            var lines: [Substring] = []
            var rest = token[...]
            while !rest.isEmpty {
                lines.append(rest.prefix(length))
                rest = rest.dropFirst(length)
            }
            let text = scheme + lines.joined(separator: ending) + ending
            #expect(try SallyportRun(["ntlm", "decode"], input: text.utf8).output == expected)
            #expect(try decode(text).output == expected)
        }
        let two = try SallyportRun(["ntlm", "decode"], input: "TlRMTVNT\n\(token)\n".utf8)
        #expect(two.status == 2 && two.error.contains("not one wrapped token"))
        let negotiate = NTLMExamples.base64(NTLMExamples.negotiate)
        let pair = try SallyportRun(["ntlm", "decode"], input: "\(negotiate)\n\(negotiate)\n".utf8)
        #expect(pair.status == 2 && pair.output.isEmpty)
    }

    @Test("Both base64 alphabets, with and without padding, but one at a time") func alphabets() throws {
        let standard = NTLMExamples.base64(NTLMExamples.authenticate)
        let expected = try decode(standard).output
        // Each way of writing it differs from the others.
        try #require(standard.contains("+") && standard.contains("/") && standard.hasSuffix("="))
        let forURLs = standard.replacing("+", with: "-").replacing("/", with: "_")
        for same in [
            forURLs, String(forURLs.prefix { $0 != "=" }), String(standard.prefix { $0 != "=" }), "NTLM  \(standard) ",
        ] {
            #expect(try decode(same).output == expected)
        }
        let first = try #require(forURLs.firstIndex { $0 == "-" || $0 == "_" })
        let mixed = standard[...first] + forURLs[forURLs.index(after: first)...]
        #expect(try decode(String(mixed)).error.contains("two base64 alphabets"))
    }

    @Test(
        "A text that is not a message ends with status 2 and one line",
        arguments: [
            ("", "token is empty"), ("NTLM", "token is empty"), ("T!RM", "offset 1"), ("TlRM VNTUAAB", "offset 4"),
            ("TlRMTVNTUAABA", "13"),
            ("YEgGBisGAQUFAqA+", "NTLMSSP"), ("TlRMTVNTUAAJAAAA", "type 9 at offset 8: expected 1 (NEGOTIATE)"),
            ("TlRMTVNTUAACAAAA", "12"),
            (String(repeating: "A", count: 110_000), "at most"),
        ]
    )
    func unreadable(token: String, word: String) throws {
        let run = try decode(token)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains(word) && run.error.split(separator: "\n").count == 1, "\(run.error)")
    }

    @Test("Names from the network cannot control a terminal or break a line") func hostileNames() throws {
        // "Server" becomes a line ending, an escape sequence and a mark that turns the direction of writing.
        let name = "0a001b005b0032004a002e20"
        let hostile = NTLMExamples.challenge.replacing("530065007200760065007200", with: name, maxReplacements: 1)
        let run = try decode(NTLMExamples.base64(hostile))
        #expect(run.output.contains(#""TargetName":"\n\u001b[2J\u202e""#))
        #expect(try run.json()["TargetName"] as? String == "\n\u{1b}[2J\u{202e}")
        // Half a surrogate pair is not well-formed text.
        let half = NTLMExamples.challenge.replacing("530065007200", with: "00d865007200", maxReplacements: 1)
        #expect(
            fields(try decode(NTLMExamples.base64(half)).json()["TargetName"]) == ["Hex": "00d865007200760065007200"]
        )
    }
}
