import LiveServers
import SPKIPins
import Testing

@Suite(.inTurn) struct PinsCheckCommandTests {
    private static let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="

    private func check(
        _ policy: String,
        host: String = "a.host.example",
        chain: [String] = ["leaf", "issuer", "anchor"],
        _ arguments: [String] = []
    ) throws -> PinsRun {
        try PinsRun(
            ["check", "--json", "--policy", "@policy", "--host", host, "@chain.pem"] + arguments,
            files: ["policy": policy, "chain.pem": PinsRun.chain(chain)]
        )
    }

    private func verdict(_ run: PinsRun) throws -> String? { try run.objects().first?["verdict"] as? String }

    @Test func verdicts() throws {
        let sound = PinsRun.policy("**.host.example", pin: PinsRun.issuer, backup: Self.other)
        let matched = try check(sound)
        let object = try #require(try matched.objects().first)
        #expect(matched.status == 0 && object["verdict"] as? String == "matched")
        #expect(object["pin"] as? String == PinsRun.issuer && object["certificate"] as? Int == 1)

        let elsewhere = try check(sound, host: "other.example")
        #expect(try verdict(elsewhere) == "not-pinned" && elsewhere.status == 1)
        let foreign = try check(sound, chain: ["leaf", "anchor"])
        #expect(try verdict(foreign) == "mismatched" && foreign.status == 1)
        let late = PinsRun.policy("a.host.example", pin: PinsRun.leaf, backup: Self.other, expires: "2026-12-01")
        #expect(try verdict(check(late, ["--at", "2026-11-30T23:59:59Z"])) == "matched")
        let expired = try check(late, ["--at", "2026-12-01T00:00:00Z"])
        #expect(expired.status == 1)
        #expect(try verdict(expired) == "expired")
        #expect(expired.output.contains("expired at 2026-12-01T00:00:00Z, now is 2026-12-01T00:00:00Z"))
    }

    @Test func aCompiledPolicyOutlivesItsExpiryVisibly() throws {
        let files = [
            "policy.json": PinsRun.policy("host.example", pin: PinsRun.leaf, backup: Self.other, expires: "2099-01-01"),
            "chain.pem": try PinsRun.chain(),
        ]
        let run = try PinsRun(
            ["convert", "--from", "json", "--image", "@image", "--policy-version", "7", "@policy.json"],
            files: files,
            andThen: [
                "check", "--json", "--policy", "@image", "--host", "HOST.example.", "@chain.pem", "--at",
                "2099-01-01T00:00:00Z",
            ]
        )
        #expect(run.status == 1)
        let object = try #require(try run.objects().first)
        #expect(object["verdict"] as? String == "expired" && object["policy_version"] as? Int == 7)
    }

    @Test("A pin of a whole certificate is named when nothing matches") func wholeCertificate() throws {
        let leaf = try #require(try PEM.certificates(in: Array(PinsRun.chain(["leaf"]).utf8).span).first)
        let fingerprint = "\(Pin(hashing: leaf.span))"
        let run = try check(PinsRun.policy("**.host.example", pin: fingerprint, backup: Self.other))
        #expect(try verdict(run) == "mismatched" && run.status == 1)
        #expect(
            run.error.contains(
                "entry 0: the pin \(fingerprint) is the hash of the whole certificate, not of its key: write sha256/\(PinsRun.leaf) if that key is meant\n"
            ),
            "\(run.error)"
        )
        #expect(try check(PinsRun.policy("**.host.example", pin: PinsRun.leaf, backup: fingerprint)).error.isEmpty)
    }

    @Test func aMismatchIsExplained() throws {
        let run = try PinsRun(
            ["check", "--policy", "@policy", "--format", "okhttp", "--host", "host.example", "@chain.pem"],
            files: [
                "policy": ".add(\"host.example\", \"sha256/\(Self.other)\", \"sha256/\(PinsRun.leaf.dropLast(3))ZI=\")",
                "chain.pem": PinsRun.chain(),
            ]
        )
        #expect(run.status == 1)
        for pin in [Self.other, PinsRun.leaf, PinsRun.issuer, PinsRun.anchor] { #expect(run.output.contains(pin)) }
        #expect(
            run.output.hasPrefix("refused: none of 3 certificates has one of the 2 pins of host.example\nvalidated ")
        )
        #expect(run.output.split(separator: "\n").count { $0.contains("none of 3 certificates") } == 1)
    }

    @Test("An entry that has expired says nothing about other hosts")
    func expiryOfAnother() throws {
        let pins = "\"pins\":[\"\(PinsRun.leaf)\",\"\(Self.other)\"]"
        let policy = """
            {"entries":[{"host":"old.example",\(pins),"expires":"2026-01-01"},{"host":"a.host.example",\(pins)}]}
            """
        #expect(try check(policy).status == 0)
        #expect(try verdict(check(policy, host: "old.example")) == "expired")
    }

    @Test("The JSON of a mismatch has the found and the expected pins")
    func mismatchAsObject() throws {
        let run = try check(PinsRun.policy("a.host.example", pin: Self.other, backup: PinsRun.leaf), chain: ["issuer"])
        let object = try #require(try run.objects().first)
        #expect(object["pattern"] as? String == "a.host.example" && object["entry"] as? Int == 0)
        let seen = try #require(object["seen"] as? [[String: Any]])
        #expect(seen.map { $0["pin"] as? String } == [PinsRun.issuer] && seen[0]["subject"] as? String == "CN=Issuer")
        let expected = try #require(object["expected"] as? [[String: Any]])
        #expect(Set(expected.compactMap { $0["pin"] as? String }) == [Self.other, PinsRun.leaf])
        #expect(expected.contains { $0["pin"] as? String == PinsRun.leaf && $0["backup"] as? Bool == true })
    }

    @Test("If Apple's form requires pins of leaf and authority, one match gives no verdict; the loss is reported")
    func conjunction() throws {
        func identities(_ key: String, _ pin: String) -> String {
            "<key>\(key)</key><array><dict><key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict></array>"
        }
        let domain =
            identities("NSPinnedLeafIdentities", PinsRun.leaf) + identities("NSPinnedCAIdentities", Self.other)
        let list = """
            <plist version="1.0"><dict><key>NSPinnedDomains</key><dict><key>a.host.example</key>\
            <dict>\(domain)</dict></dict></dict></plist>
            """
        let run = try check(list, ["--format", "apple"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.hasPrefix("lost: policy: a.host.example: the form demands a leaf and an authority"))
        #expect(run.error.contains("sallyport pins check: policy: entry 0: one of its pins matches"))
        let other = try check(list, chain: ["issuer"], ["--format", "apple"])
        #expect(try verdict(other) == "mismatched" && other.status == 1)
    }

    @Test("A chain with an unreadable certificate and without a match gives no verdict")
    func unreadableCertificate() throws {
        let junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        func check(_ pin: String) throws -> PinsRun {
            let files = [
                "policy": PinsRun.policy("host.example", pin: pin, backup: Self.other),
                "chain.pem": try PinsRun.chain(["leaf"]) + junk,
            ]
            return try PinsRun(["check", "--policy", "@policy", "--host", "host.example", "@chain.pem"], files: files)
        }
        #expect(try check(PinsRun.leaf).status == 0)
        let refused = try check(PinsRun.issuer)
        #expect(refused.status == 2 && refused.output.isEmpty)
        #expect(refused.error.hasPrefix("sallyport pins check: chain.pem: certificate 1: "))
    }

    @Test("Errors name the file or the option, and what to do")
    func errorsSayWhere() throws {
        let files = [
            "policy": PinsRun.policy("host.example", pin: PinsRun.leaf, backup: Self.other), "lines": "host.example",
            "chain.pem": try PinsRun.chain(), "long.pem": try PinsRun.chain([String](repeating: "leaf", count: 33)),
        ]
        func error(_ policy: String, _ host: String, _ arguments: String...) throws -> String {
            let run = try PinsRun(["check", "--policy", policy, "--host", host] + arguments, files: files)
            #expect(run.status == 2 && run.output.isEmpty)
            return run.error.replacing("sallyport pins check: ", with: "")
        }
        #expect(
            try error("@lines", "host.example", "@chain.pem")
                == "lines: line 1: not JSON, because a value was expected: correct it (it was read as json; --format names another form)\n"
        )
        #expect(
            try error("@lines", "a.example", "--format", "json", "@chain.pem")
                == "lines: line 1: not JSON, because a value was expected: correct it\n"
        )
        #expect(try error("@policy", "https://host.example", "@chain.pem").hasPrefix("--host https://host.example: "))
        #expect(
            try error("@policy", "host.example", "@long.pem")
                == "long.pem: chain of 33 certificates: at most 32 are read; give one chain, leaf first\n"
        )
        #expect(
            try error("@policy", "host.example", "-") == "standard input: contains no certificate; give PEM or DER\n"
        )
        #expect(
            try error("@policy", "host.example", "/dev") == "/dev: this is a folder; name a file in it\n"
        )
        #expect(
            try error("@policy", "host.example", "/nonexistent")
                == "/nonexistent: the file does not exist; check the path\n"
        )
        #expect(
            try error("@policy", "host.example", "@chain.pem", "--at", "soon")
                == "--at: 'soon' is not a time: write a time like 2036-01-01T00:00:00Z\n"
        )
    }

    @Test(
        "Unusable input",
        arguments: [
            ["--policy", "@no", "--host", "host.example", "@chain.pem"],
            ["--policy", "@policy", "--host", "no host", "@chain.pem"],
            ["--policy", "@policy", "--host", "host.example", "@policy"],
            ["--policy", "@chain.pem", "--host", "host.example", "@chain.pem"],
            ["--policy", "@policy", "--host", "host.example", "--at", "yesterday", "@chain.pem"],
        ]
    )
    func refused(arguments: [String]) throws {
        let files = [
            "policy": PinsRun.policy("host.example", pin: PinsRun.leaf, backup: Self.other),
            "chain.pem": try PinsRun.chain(),
        ]
        let run = try PinsRun(["check"] + arguments, files: files)
        #expect(run.status == 2 && run.output.isEmpty && run.error.hasPrefix("sallyport pins check: "))
        #expect(run.error.split(separator: "\n").count == 1)
    }
}
