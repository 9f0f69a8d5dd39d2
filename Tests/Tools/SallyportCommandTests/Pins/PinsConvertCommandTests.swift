import LiveServers
import Testing

@Suite(.inTurn) struct PinsConvertCommandTests {
    private static let policy = PinsRun.policy(
        "**.host.example",
        pin: PinsRun.leaf,
        backup: PinsRun.issuer,
        expires: "2099-01-01"
    )

    @Test func whatIsLostIsSaidAloud() throws {
        let arguments = ["convert", "--from", "json", "--to", "okhttp", "@policy"]
        let run = try PinsRun(arguments, files: ["policy": Self.policy])
        #expect(run.status == 0)
        #expect(
            run.output == """
                .add("**.host.example", "sha256/\(PinsRun.leaf)")
                .add("**.host.example", "sha256/\(PinsRun.issuer)")

                """
        )
        #expect(
            run.error.split(separator: "\n").sorted() == [
                "lost: **.host.example: the expiry is not kept",
                "lost: **.host.example: the marks of backup pins are not kept",
            ]
        )
        #expect(try PinsRun(arguments + ["--strict"], files: ["policy": Self.policy]).status == 1)
    }

    @Test func ourOwnFormLosesNothing() throws {
        let arguments = ["convert", "--from", "json", "--to", "json", "--strict"]
        let once = try PinsRun(arguments, input: Self.policy)
        #expect(once.status == 0 && once.error.isEmpty)
        #expect(try PinsRun(arguments, input: once.output).output == once.output)
    }

    @Test("Forms without a host need one")
    func host() throws {
        let pins = "sha256//\(PinsRun.leaf);sha256//\(PinsRun.issuer)"
        let without = try PinsRun(["convert", "--from", "curl", "--to", "okhttp"], input: pins)
        #expect(without.status == 2 && without.error.contains("give the host pattern with --host"))
        let with = try PinsRun(["convert", "--from", "curl", "--to", "okhttp", "--host", "host.example"], input: pins)
        #expect(with.status == 0 && with.output.contains(".add(\"host.example\", \"sha256/\(PinsRun.leaf)\")"))
    }

    @Test("A form that cannot express any entry writes no file")
    func nothingIsLeft() throws {
        let pins = "host.example sha256/\(PinsRun.leaf) sha256/\(PinsRun.issuer)"
        let run = try PinsRun(["convert", "--from", "okhttp", "--to", "apple"], input: pins)
        #expect(run.status == 1 && run.output.isEmpty)
        let lines = run.error.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("give all of them one position that it has, leaf or issuer") == true)
        #expect(lines.last == "sallyport pins convert: no entry is left to write in the form apple")
    }

    @Test("A pin for any place is two records, and one pin again")
    func recordsAndBack() throws {
        let line = "host.example sha256/\(PinsRun.leaf) sha256/\(PinsRun.issuer)\n"
        let records = try PinsRun(["convert", "--from", "okhttp", "--to", "tlsa"], input: line)
        #expect(records.status == 0 && records.output.split(separator: "\n").count == 4)
        let back = try PinsRun(["convert", "--from", "tlsa", "--to", "okhttp", "--strict"], input: records.output)
        #expect(back.status == 0 && back.error.isEmpty)
        #expect(
            back.output == """
                .add("host.example", "sha256/\(PinsRun.leaf)")
                .add("host.example", "sha256/\(PinsRun.issuer)")

                """
        )
    }

    @Test("An image goes to a regular file, and other paths give the reason")
    func images() throws {
        for (place, reason) in [
            ("/dev/null", "not a regular file"), ("/dev", "Is a directory"), ("/no/such", "No such file or directory"),
        ] {
            let run = try PinsRun(["convert", "--from", "json", "--image", place], input: Self.policy)
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(
                run.error == """
                    sallyport pins convert: \(place): cannot be written (\(reason)): \
                    name a file in a folder of yours with space left

                    """
            )
        }
    }

    @Test("With certificates, a backup under the authority of a primary pin is found before an image is made")
    func certificates() throws {
        let files = ["policy": Self.policy, "chain.pem": try PinsRun.chain()]
        let arguments = ["convert", "--from", "json", "--image", "@image", "@policy"]
        #expect(try PinsRun(arguments, files: files).status == 0)
        let run = try PinsRun(arguments + ["--certificates", "@chain.pem"], files: files)
        #expect(run.status == 2 && run.error.contains("has the authority of a primary pin"))
        let wrong = try PinsRun(["convert", "--from", "json", "--to", "okhttp", "--certificates", "@chain.pem"])
        #expect(wrong.status == 2 && wrong.error.contains("--certificates needs --image"))
    }

    @Test func usageAndUnusablePolicies() throws {
        #expect(try PinsRun(["convert", "--from", "json"], input: Self.policy).status == 2)
        #expect(try PinsRun(["convert", "--from", "json", "--to", "xml"], input: Self.policy).status == 2)
        let broken = try PinsRun(["convert", "--from", "json", "--to", "okhttp", "@policy"], files: ["policy": "{"])
        #expect(broken.status == 2 && broken.error.hasPrefix("sallyport pins convert: policy: "))
        let single = PinsRun.policy("*.co.uk", pin: PinsRun.leaf, backup: PinsRun.issuer)
        let refused = try PinsRun(["convert", "--from", "json", "--image", "@image"], input: single)
        #expect(refused.status == 2 && refused.error.contains("public suffix"))
    }

    @Test(
        "An IP address is left out of the forms that pin names alone, with the reason",
        arguments: [
            "apple", "trustkit", "trustkit-plist", "rfc7469", "tlsa", "chromium",
        ]
    )
    func addresses(form: String) throws {
        for address in ["192.0.2.1", "[2001:db8::1]"] {
            let line = "\(address) sha256/\(PinsRun.leaf) sha256/\(PinsRun.issuer)\n"
            let policy = line.replacing(address, with: "host.example") + line
            let json = try PinsRun(["convert", "--from", "okhttp", "--to", "json"], input: policy).output
                .replacing("\"any\"", with: "\"leaf\"")
            let run = try PinsRun(["convert", "--from", "json", "--to", form, "--strict"], input: json)
            #expect(run.status == 1 && !run.output.contains(address), "\(address)")
            let reason =
                "left out: the host is an IP address, and this form pins domain names alone; pin the server's name"
            #expect(run.error.contains("lost: \(address): \(reason)\n"))
        }
    }

    @Test("Android compares texts: an IPv4 address has one spelling, an IPv6 address has two")
    func addressesOfAndroid() throws {
        let pins = "sha256/\(PinsRun.leaf) sha256/\(PinsRun.issuer)\n"
        let run = try PinsRun(
            ["convert", "--from", "okhttp", "--to", "android"],
            input: "192.0.2.1 \(pins)[2001:db8::1] \(pins)"
        )
        #expect(run.status == 0 && run.output.contains(">192.0.2.1</domain>") && !run.output.contains("2001"))
        #expect(run.error.contains("lost: [2001:db8::1]: left out: "))
    }

    @Test("A pattern that a form does not have is left out with the reason and the remedy")
    func patternsWithReasons() throws {
        let pins = "sha256/\(PinsRun.leaf) sha256/\(PinsRun.issuer)\n"
        let run = try PinsRun(
            ["convert", "--from", "okhttp", "--to", "trustkit"],
            input: "*.host.example \(pins)*.com \(pins)a.example \(pins)"
        )
        let reason = "'*.' is for subdomains of one label, which this form lacks; name each host, or write '**.'"
        #expect(run.error.contains("lost: *.host.example: left out: \(reason)\n"))
        #expect(
            run.error.contains("lost: *.com: left out: a wildcard needs two labels behind it, as in *.host.example\n")
        )
        let records = try PinsRun(["convert", "--from", "okhttp", "--to", "tlsa"], input: "**.host.example \(pins)")
        #expect(records.error.contains("a record is for one name; name each host"))
    }

    @Test(
        "A TLSA record without 64 hexadecimal digits is an error that names the difference",
        arguments: [
            ("abcd", "pin of 4 hexadecimal digits: SHA-256 has exactly 64; write the whole hash"),
            (String(repeating: "ab", count: 20), "SHA-1 pin: two keys can be made to share one"),
            (
                PinsRun.leaf,
                "character 3 of the pin is not a hexadecimal digit: write the SHA-256 of the key as 64 of them, not as base64"
            ),
        ]
    )
    func digitsOfRecords(text: String, words: String) throws {
        let line = "_443._tcp.host.example. IN TLSA 3 1 1 \(text)\n"
        let run = try PinsRun(["convert", "--from", "tlsa", "--to", "json"], input: line)
        #expect(run.status == 2 && run.error.contains("standard input: line 1: TLSA 3 1 1: \(words)"), "\(run.error)")
    }
}
