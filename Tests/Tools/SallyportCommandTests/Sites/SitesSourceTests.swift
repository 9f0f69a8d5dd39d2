import Foundation
import LiveServers
import TestSupport
import Testing

/// Where lists and images come from, and in which order they are asked.
@Suite(.inTurn) struct SitesSourceTests {
    /// A folder with files of these contents, an image `NAME.image` of each of them, and what is done there.
    private func with(_ files: [String: String], _ body: (_ path: (String) -> String) throws -> Void) throws {
        let folder = TemporaryFolder.place("sources")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        for (name, text) in files {
            try Data(text.utf8).write(to: URL(filePath: path(name)))
            let run = try SallyportRun(["sites", "compile", path(name), "--output", path("\(name).image")])
            #expect(run.status == 0, "\(run.error)")
        }
        try body(path)
    }

    @Test("The first file grants, list or image", arguments: [("org", "user"), ("user", "org")])
    func order(first: String, second: String) throws {
        try with(["org": "org.example\n", "user": "user.example\n"]) { path in
            for (one, other) in [("", ""), (".image", ""), ("", ".image"), (".image", ".image")] {
                let (granting, narrowing) = (path(first + one), path(second + other))
                let options = [
                    one.isEmpty ? "--list" : "--image", granting,
                    other.isEmpty ? "--list=\(narrowing)" : "--image=\(narrowing)",
                ]
                let own = try SallyportRun(["sites", "match"] + options + ["https://\(first).example/"])
                #expect(own.status == 0, "\(own.output)")
                let foreign = try SallyportRun(["sites", "match"] + options + ["https://\(second).example/"])
                #expect(foreign.status == 1 && foreign.output.contains("may only narrow"), "\(foreign.output)")
            }
        }
    }

    @Test("A list comes from standard input or through a pipe as from a file")
    func pipes() throws {
        try with(["rules": "host.example\n"]) { path in
            let rules = Data("*.host.example\n".utf8)
            for file in ["-", "/dev/stdin"] {
                let run = try SallyportRun(["sites", "match", "--list", file, "https://a.host.example/"], input: rules)
                let name = file == "-" ? "standard input" : file
                #expect(run.status == 0 && run.output.hasSuffix("allowed by line 1 of \(name)\n"), "\(run.error)")
            }
            let compiled = try SallyportRun(["sites", "compile", "-", "--output", path("new.image")], input: rules)
            #expect(compiled.status == 0, "\(compiled.error)")
            let asked = try SallyportRun(["sites", "explain", "--image", path("new.image"), "https://a.host.example/"])
            #expect(asked.status == 0)
            let bad = try SallyportRun(["sites", "compile", "-", "--output", path("no")], input: Data("*\n".utf8))
            #expect(bad.status == 2 && bad.error.hasPrefix("standard input:1:1: "))
        }
    }

    @Test("An empty pipe is refused, because its list may have had exceptions", arguments: ["-", "/dev/stdin"])
    func emptyPipes(file: String) throws {
        try with(["rules": "*.host.example\n"]) { path in
            let url = "https://pay.host.example/"
            let match = ["match", "--list", path("rules"), "--list", file, url]
            for arguments in [match, ["compile", path("rules"), file, "-o", path("rules.image")]] {
                let run = try SallyportRun(["sites"] + arguments, input: Data())
                #expect(run.status == 2 && run.output.isEmpty && run.error.contains("the input is empty"))
                let denied = try SallyportRun(["sites"] + match, input: Data("!pay.host.example".utf8))
                #expect(denied.status == 1, "\(denied.error)")
            }
            try Data().write(to: URL(filePath: path("none")))
            #expect(
                try SallyportRun(["sites", "match", "--list", path("rules"), "--list", path("none"), url]).status == 0
            )
        }
    }

    @Test("No line of a restricting list is left out") func lenientNarrowing() throws {
        try with(["org": "*.acme.example\n"]) { path in
            try Data("wiki.acme.example/public/*\n".utf8).write(to: URL(filePath: path("user")))
            let url = "https://wiki.acme.example/payroll"
            let run = try SallyportRun(
                ["sites", "match", "--lenient", "--list", path("org"), "--list", path("user"), url]
            )
            #expect(
                run.status == 2 && run.output.isEmpty && run.error.contains("more might be allowed by another list")
            )
            let together = try SallyportRun(
                ["sites", "compile", "--lenient", path("org"), path("user"), "-o", path("new")]
            )
            #expect(together.status == 2 && together.error.contains("more might be allowed by another list"))
            try Data("*.acme.example\nwiki.acme.example/public*\n".utf8).write(to: URL(filePath: path("both")))
            for arguments in [["match", "--list", path("both"), url], ["compile", path("both"), "-o", path("new")]] {
                let run = try SallyportRun(["sites"] + arguments + ["--lenient"])
                #expect(run.status == 2 && run.error.contains("both:2:25: a path is already a prefix"))
                #expect(run.error.contains("a wider rule of the list would allow the whole host"))
            }
        }
    }

    @Test("A link to a list is the list") func links() throws {
        try with(["rules": "host.example\n"]) { path in
            try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("rules"))
            #expect(try SallyportRun(["sites", "match", "--list", path("link"), "https://host.example/"]).status == 0)
        }
    }

    @Test("A file under the wrong option is refused with the right option") func wrongWays() throws {
        try with(["rules": "host.example\n"]) { path in
            let url = "https://host.example/"
            let cases: [(arguments: [String], word: String)] = [
                (["match", "--list", path("rules.image"), url], "name it with --image"),
                (["compile", path("rules.image"), "-o", path("x")], "read the lists it was made of"),
                (["match", "--list", "-"], "Standard input is the list"),
                (["match", "--list", "/dev/stdin"], "Standard input is the list"),
                (["match", "--list", "/dev/stdin", "--list", "-", url], "Only one list"),
                (["match", "--image", "-", url], "write it to a file"),
                (["compile", path("rules"), "-o", "-"], "--output"),
                (["match", "--list", "-", "--list", "-", url], "Only one list"),
                (["compile", "-", "-", "-o", path("x")], "Only one list"),
                (["match", "--image", path("rules.image"), "--lenient", url], "have no effect on images"),
                (["match", "--image", path("rules.image"), "--dialect", "squid", url], "have no effect on images"),
                (["match", "--list", "/dev/zero", url], "write them to a file"),
            ]
            for (arguments, word) in cases {
                let run = try SallyportRun(["sites"] + arguments)
                #expect(run.status == 2 && run.output.isEmpty && run.error.contains(word), "\(arguments): \(run.error)")
            }
        }
    }

    @Test("A list that begins like an image is a list, and no image replaces it") func lookalike() throws {
        try with(["other": "a.example\n"]) { path in
            let text = "SITETRIE.EXAMPLE\n"
            try Data(text.utf8).write(to: URL(filePath: path("rules")))
            let run = try SallyportRun(["sites", "match", "--list", path("rules"), "https://sitetrie.example/"])
            #expect(run.status == 0)
            let over = try SallyportRun(["sites", "compile", path("other"), "--output", path("rules")])
            #expect(over.status == 2 && over.error.contains("not an image"))
            #expect(try String(contentsOfFile: path("rules"), encoding: .utf8) == text)
        }
    }

    @Test("A path about which servers disagree is named as the reason") func uncertainPath() throws {
        try with(["rules": "host.example/app\n"]) { path in
            let url = "https://host.example/app/../x"
            let run = try SallyportRun(["sites", "match", "--list", path("rules"), url])
            #expect(
                run.status == 1 && run.output.contains("is for a path, and servers read this path differently")
            )
            let walk = try SallyportRun(["sites", "explain", "--list", path("rules"), url])
            #expect(walk.output.hasPrefix("request: https://host.example with path /app/../x\n"))
        }
    }

    @Test("--public-suffixes decides what a wildcard may cover, and explain names the list") func publicSuffixes()
        throws
    {
        let end = "// ===END PRIVATE DOMAINS===\n"
        let folder = TemporaryFolder.place("suffixes")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ name: String, _ text: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path(percentEncoded: false)
        }
        let rules = try file("rules", "*.team.example\n")
        let newer = try file("newer", "// VERSION: 2099-01-01_00-00-00_UTC\nteam.example\n" + end)
        let undated = try file("undated", "other.example\n" + end)
        let url = "https://a.team.example/"
        let plain = try SallyportRun(["sites", "explain", "--list", rules, url])
        #expect(plain.status == 0 && plain.output.contains("\npublic suffix list of 20"), "\(plain.output)")
        let refused = try SallyportRun(["sites", "explain", "--list", rules, "--public-suffixes", newer, url])
        #expect(refused.status == 2 && refused.error.contains("'team.example'"), "\(refused.error)")
        let other = try SallyportRun(["sites", "explain", "--json", "--list", rules, "--public-suffixes", undated, url])
        #expect(other.status == 0 && other.output.contains("\"publicSuffixes\":null"), "\(other.output)")
        #expect(other.error.hasSuffix("undated: the list has no line '// VERSION:', so its age is unknown\n"))
        let broken = try file("broken", "team.example\n")
        for verb in [
            ["sites", "match", "--list", rules, url], ["sites", "compile", rules, "--output", rules + ".image"],
            ["pins", "convert", "--from", "json", "--to", "json", rules],
            ["pins", "check", "--policy", rules, "--host", "a.example", rules],
            ["pins", "audit", rules], ["get", url], ["explain", url], ["relay", "--parent", "127.0.0.1:1"],
        ] {
            let run = try SallyportRun(verb + ["--public-suffixes", broken])
            #expect(run.status == 2 && run.output.isEmpty, "\(verb)")
            #expect(
                run.error
                    == "sallyport: \(broken): the line '// ===END PRIVATE DOMAINS===' is missing, so the list may have lost its end; get it anew\n",
                "\(verb)"
            )
        }
    }
}
