import Foundation
import LiveServers
import Testing
import WireFormat

@Suite(.inTurn) struct NTLMRespondCommandTests {
    private func respond(
        to challenge: String = NTLMExamples.challenge,
        password: String = "Password",
        _ options: [String] = []
    ) throws -> SallyportRun {
        try SallyportRun(
            ["ntlm", "respond", "--challenge", NTLMExamples.base64(challenge)] + options,
            input: password.utf8
        )
    }

    private static let fixed = [
        "--client-challenge", "aaaaaaaaaaaaaaaa", "--session-key", "55555555555555555555555555555555",
    ]
    private static let user = ["--user", "User", "--domain", "Domain", "--timestamp", "0"]

    @Test("MS-NLMP 4.2.4, with the empty target name that 3.1.5.1.2 adds") func specification() throws {
        let run = try respond(Self.user + Self.fixed)
        #expect(run.status == 0 && run.error.isEmpty)
        let json = try run.json() as NSDictionary
        // 4.2.4.2.1 as it stands. The example's response is older than the empty MsvAvTargetName, so proof and keys are
        // those that impacket and pyspnego compute with it.
        #expect(json["lm_challenge_response"] as? String == "86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa")
        #expect(json["nt_proof_str"] as? String == "d6ea955b1e76471b13f2596383010644")
        #expect(json["session_base_key"] as? String == "e668d8f6490ffc8c16b9bbe3a5f3b478")
        #expect(json["exported_session_key"] as? String == "55555555555555555555555555555555")
        #expect(json["mic"] is NSNull)
        let temp =
            "01010000000000000000000000000000aaaaaaaaaaaaaaaa0000000002000c0044006f006d00610069006e0001000c005300650072"
            + "0076006500720009000000" + "0000000000000000"
        #expect(json["nt_challenge_response"] as? String == "d6ea955b1e76471b13f2596383010644" + temp)
        #expect(json.count == 7)
    }

    @Test(
        "Clock, name of the service, channel bindings, Unicode and the integrity code, as impacket and pyspnego compute"
    )
    func everything() throws {
        let options =
            [
                "--user", "jürgen", "--domain", "ACME", "--timestamp", "133500000010000000", "--spn",
                "HTTP/wiki.acme.example", "--channel-binding", String(repeating: "00", count: 31) + "01",
                "--workstation",
                "PC", "--negotiate", NTLMExamples.base64(NTLMExamples.negotiate),
            ] + Self.fixed
        let run = try respond(to: NTLMExamples.challengeWithClock, password: "Grüße 山\u{1F600}\n", options)
        let json = try run.json()
        #expect(json["nt_proof_str"] as? String == "5aee912b113f0f52af4f139f2c3b98e1")
        #expect(json["session_base_key"] as? String == "cc593bdab75f35e6c0e9dc8874f05586")
        #expect(json["mic"] as? String == "6c95e1a6192037065d11ff923a4c5f0f")
        #expect(json["lm_challenge_response"] as? String == String(repeating: "0", count: 48))
        let message = try Base64.decode(try #require(json["authenticate"] as? String))
        let hexadecimal = Hexadecimal.encode(message.span)
        for key in ["nt_challenge_response", "mic"] {
            #expect(hexadecimal.contains(try #require(json[key] as? String)), "\(key)")
        }
        // The 16 bytes of MsvAvChannelBindings themselves say the same, and so does the application data.
        let prefix = Hexadecimal.encode([UInt8]("tls-server-end-point:".utf8).span)
        for binding in ["51ef0ac8a0c532dcc4fb3f247d66dffc", prefix + String(repeating: "00", count: 31) + "01"] {
            let same = options.map { $0.hasSuffix("0001") ? binding : $0 }
            let other = try respond(to: NTLMExamples.challengeWithClock, password: "Grüße 山\u{1F600}", same)
            #expect(other.output == run.output, "\(binding)")
        }
    }

    @Test func aHashInPlaceOfThePassword() throws {
        let expected = try respond(Self.user + Self.fixed).output
        let hash = "A4F49C406510bdcab6824ee7c30fd852\r\n"
        #expect(try respond(password: hash, Self.user + Self.fixed + ["--nt-hash"]).output == expected)
        for wrong in ["a4f4", hash + "00", String(repeating: "g", count: 32)] {
            let run = try respond(password: wrong, Self.user + ["--nt-hash"])
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(!run.error.contains(wrong.prefix(4)))
        }
    }

    @Test("A user may name the domain") func accountForms() throws {
        let expected = try respond(Self.user + Self.fixed).output
        let options = ["--user", "Domain\\User", "--timestamp", "0"] + Self.fixed
        #expect(try respond(options).output == expected)
    }

    @Test func whatIsNotGivenIsDrawn() throws {
        let runs = try (0..<2).map { _ in try respond(Self.user).json()["authenticate"] as? String }
        #expect(runs[0] != nil && runs[0] != runs[1])
    }

    @Test(
        "A CHALLENGE that must not be answered is a no with its name",
        arguments: [
            (0xe280_8233, "NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY"), (0xc28a_8233, "NTLMSSP_NEGOTIATE_128"),
            (0xe28a_8232, "Unicode"), (0xe28a_8033, "NTLMSSP_NEGOTIATE_NTLM"),
        ] as [(UInt32, String)]
    )
    func downgrade(flags: UInt32, name: String) throws {
        var bytes = try Hexadecimal.decode(NTLMExamples.challenge)
        for index in 0..<4 { bytes[20 + index] = UInt8(truncatingIfNeeded: flags >> UInt32(8 * index)) }
        let run = try respond(to: Hexadecimal.encode(bytes.span), Self.user)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.error.contains(name) && run.error.split(separator: "\n").count == 1)
    }

    @Test func aClockFarAwayIsANo() throws {
        let run = try respond(to: NTLMExamples.challengeWithClock, Self.user)
        #expect(run.status == 1 && run.error.contains("seconds from ours"))
    }

    @Test(
        "What cannot be read ends with two, one line and the name of the option",
        arguments: [
            (["--user", "User", "--challenge", "TlRMTVNTUAAC"], "bytes"), (["--user", ""], "no user name"),
            (["--user", "User", "--client-challenge", "aa"], "--client-challenge"),
            (["--user", "User", "--session-key", "zz"], "--session-key"),
            (["--user", "User", "--channel-binding", "0011"], "--channel-binding: 2 bytes: expected 16, 28, 32, 48"),
            (["--user", "User", "--negotiate", "AAAA"], "--negotiate"),
            (["--user", "User", "--timestamp", "now"], "timestamp"),
            (["--domain", "D"], "--user"),
        ]
    )
    func unreadable(options: [String], word: String) throws {
        let run = try respond(options)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains(word), "\(run.error)")
    }

    @Test("Passwords come one, whole, and not too long") func passwords() throws {
        for (password, word) in [
            ("a\nb", "more than one line"), ("", "is empty"), (String(repeating: "q", count: 300), "300"),
        ] {
            let run = try respond(password: password, Self.user)
            #expect(run.status == 2 && run.error.contains(word))
        }
        // An empty line is an empty password.
        #expect(try respond(password: "\n", Self.user).status == 0)
    }
}
