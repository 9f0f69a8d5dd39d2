import LiveServers
import Testing

@Suite(.inTurn) struct SitesConvertCommandTests {
    private func convert(_ arguments: [String], _ input: String) throws -> SallyportRun {
        try SallyportRun(["sites", "convert"] + arguments, input: input.utf8)
    }

    /// A host and the names below it, over both schemes and all ports, in each form: what the table of `SiteDialect` says
    /// of entries without scheme and port. Squid 5.7 and `NO_PROXY` of Go have one entry for both; Windows has zone 1.
    private static let wide = [
        "rules": "*://host.example:*\n*://*.host.example:*\n",
        "chromium": "host.example,*.host.example\n",
        "firefox": "host.example\n",
        "windows-zones": "*://host.example\t1\n*://*.host.example\t1\n",
        "no-proxy": "host.example\n",
        "squid": ".host.example\n",
        "apple": "host.example\n.host.example\n",
    ]

    @Test("What all programs can say is written in each form, and nothing is lost", arguments: wide.keys.sorted())
    func everyPair(from: String) throws {
        func lines(_ text: String) -> Set<Substring> { Set(text.split { ",\n".contains($0) }) }
        for (to, expected) in Self.wide {
            let run = try convert(["--from", from, "--to", to, "--strict"], try #require(Self.wide[from]))
            #expect(run.status == 0 && run.error.isEmpty, "\(from) to \(to): \(run.error)")
            #expect(lines(run.output) == lines(expected), "\(from) to \(to)")
            #expect(run.output.hasSuffix("\n"))
        }
    }

    @Test("Entries that the new form cannot express are named, and left out")
    func losses() throws {
        let rules =
            "*://wiki.example:*\n*://*.wiki.example:*\n!secret.wiki.example\nshop.example/cart\n*://a.example:*\n"
        let run = try convert(["--from", "rules", "--to", "apple"], rules)
        #expect(run.status == 0 && run.output == "wiki.example\na.example\n")
        #expect(
            run.error.split(separator: "\n") == [
                "lost: standard input:2: \"*://*.wiki.example:*\" is left out: line 3 allows less for a narrower host, which "
                    + "the dialect cannot express",
                "lost: standard input:3: \"!secret.wiki.example\" is left out: the dialect has no exceptions",
                "lost: standard input:4: \"shop.example/cart\" is left out: the dialect has no paths",
            ]
        )
        let strict = try convert(["--from", "rules", "--to", "apple", "--strict"], rules)
        #expect(strict.status == 1 && strict.output == run.output)
    }

    @Test("Entries and lines that cannot be read are named, and left out")
    func unread() throws {
        let foreign = try convert(["--from", "chromium", "--to", "rules"], "https://a.host.example:8443,*google.com")
        #expect(foreign.status == 0 && foreign.output == "a.host.example:8443\n")
        #expect(foreign.error.hasPrefix("lost: standard input:2: \"*google.com\" is left out: "))
        let bad = try convert(["--from", "rules", "--to", "rules", "--strict"], "a.example\nftp://b.example\n")
        #expect(bad.status == 1 && bad.output == "a.example\n" && bad.error.hasPrefix("lost: standard input:2:1: "))
    }

    @Test("What may be an exception is never left out, because the list would allow more")
    func exceptions() throws {
        let zones = try convert(
            ["--from", "windows-zones", "--to", "rules"],
            "*.host.example 1\nhr.host.example 4 # no\n"
        )
        #expect(zones.status == 2 && zones.output.isEmpty)
        #expect(zones.error.contains("1 of these may be meant as exceptions"))
        let rules = try convert(["--from", "rules", "--to", "squid"], "*.host.example\n!hr.host.exa mple\n")
        #expect(rules.status == 2 && rules.output.isEmpty && rules.error.contains("may be an exception"))
    }

    @Test("Windows zones keep an exception in both directions")
    func zones() throws {
        let zones = "host.example 1\n*.host.example 1\nhr.host.example 4\n"
        let rules = try convert(["--from", "windows-zones", "--to", "rules", "--strict"], zones)
        #expect(rules.status == 0 && rules.output.contains("!hr.host.example\n"))
        let back = try convert(["--from", "rules", "--to", "windows-zones", "--strict"], rules.output)
        #expect(back.status == 0 && back.error.isEmpty)
        // Each zone but 1, the intranet, keeps credentials back.
        #expect(
            Set(back.output.split(separator: "\n"))
                == ["*://host.example\t1", "*://*.host.example\t1", "*://hr.host.example\t3"]
        )
        let squid = try convert(["--from", "windows-zones", "--to", "squid"], zones)
        #expect(
            squid.status == 0 && squid.output == "host.example\n"
                && squid.error.contains("the dialect has no exceptions")
        )
    }

    @Test("Wildcards above public suffixes are allowed by name, and the written list says so")
    func publicSuffixes() throws {
        let refused = try convert(["--from", "squid", "--to", "rules"], ".co.uk\n")
        #expect(refused.status == 0 && refused.output == "*://co.uk:*\n")
        #expect(
            refused.error.hasPrefix(
                "lost: standard input:1: \".co.uk\" is read as that host alone, without the names below it: anyone can register names below"
            )
        )
        let run = try convert(["--from", "squid", "--to", "rules", "--allow-public-suffix"], ".co.uk\n")
        #expect(run.status == 0 && run.output.hasPrefix("#! allow-public-suffix\n"))
        let back = try convert(["--from", "rules", "--to", "squid", "--strict"], run.output)
        #expect(back.status == 0 && back.output == ".co.uk\n")
    }

    @Test("A form that cannot express any entry writes no list")
    func nothingIsLeft() throws {
        let run = try convert(["--from", "rules", "--to", "squid"], "https://a.example\n")
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.error.hasSuffix("sallyport sites convert: no entry is left to write in the form squid\n"))
    }

    @Test(
        "What cannot run ends with two",
        arguments: [
            (["--from", "rules"], "--to"), (["--from", "rules", "--to", "klingon"], "The forms are rules, chromium"),
            (["--from", "rules", "--to", "rules", "--allow-public-suffix"], "#! allow-public-suffix"),
            (["--from", "rules", "--to", "squid", "/nonexistent"], "/nonexistent: the file does not exist"),
            (["--from", "rules", "--to", "squid", "-"], "the input is empty"),
        ]
    )
    func couldNotRun(arguments: [String], words: String) throws {
        let run = try convert(arguments, "")
        #expect(run.status == 2 && run.output.isEmpty && run.error.contains(words), "\(run.error)")
    }
}
