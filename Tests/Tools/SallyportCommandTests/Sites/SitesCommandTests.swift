import Foundation
import LiveServers
import TestSupport
import Testing

@Suite(.inTurn) struct SitesCommandTests {
    private struct Answer: Decodable, Equatable {
        let input: String
        let verdict: String
        let rule: String?
        let line: Int?
        let list: String?
        let reason: String
    }

    /// What came of a run, without the folder of its files.
    private struct Run {
        let status: Int32
        let output: String
        let error: String
    }

    /// Runs `sallyport sites` with files of these contents, which stand in the arguments by their names.
    private func sites(_ arguments: [String], files: [String: String], input: Data = Data()) throws -> Run {
        let folder = TemporaryFolder.place("sites")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let path = folder.path(percentEncoded: false)
        let run = try SallyportRun(
            ["sites"] + arguments.map { files[$0] == nil ? $0 : "\(path)/\($0)" },
            input: input
        )
        func short(_ text: String) -> String { text.replacing("\(path)/", with: "") }
        return Run(status: run.status, output: short(run.output), error: short(run.error))
    }

    private func answers(_ output: String) throws -> [Answer] {
        try output.split(separator: "\n").map { try JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
    }

    private let rules = "*.host.example # all\n!login.host.example\nbücher.example/shop\n"

    @Test func everyLineOfTheInputHasAnAnswer() throws {
        let input =
            Data("https://a.host.example/\r\n\nhttps://login.host.example/\"x\"\nhttps://bücher.example/shop\n".utf8)
            + [0xff] + Data("\nhttp://a.host.example".utf8)
        let run = try sites(["match", "--list", "rules", "--json"], files: ["rules": rules], input: input)
        #expect(run.status == 1 && run.error.isEmpty)
        let answers = try answers(run.output)
        #expect(answers.map(\.verdict) == ["allowed", "invalid", "denied", "allowed", "invalid", "denied"])
        #expect(
            answers[0]
                == Answer(
                    input: "https://a.host.example/",
                    verdict: "allowed",
                    rule: "*.host.example",
                    line: 1,
                    list: "rules",
                    reason: "allowed by line 1 of rules"
                )
        )
        #expect(answers[2].input == "https://login.host.example/\"x\"" && answers[2].rule == "!login.host.example")
        #expect(answers[3].rule == "xn--bcher-kva.example/shop" && answers[3].line == 3)
        #expect(answers[1].input.isEmpty && answers[1].rule == nil && answers[1].reason.hasPrefix("invalid: offset 0"))
        #expect(answers[5].reason == "denied: line 1 of rules is for another scheme")
    }

    @Test func manyLinesKeepTheirOrder() throws {
        let hosts = (0..<40_000).map { "https://\($0 % 3 == 0 ? "other" : "x\($0).host").example/\($0)" }
        let run = try sites(
            ["match", "--list", "rules", "--json"],
            files: ["rules": rules],
            input: Data(hosts.joined(separator: "\n").utf8)
        )
        #expect(run.status == 1)
        let answers = try answers(run.output)
        #expect(answers.map(\.input) == hosts)
        #expect(answers.enumerated().allSatisfy { ($0.element.verdict == "denied") == ($0.offset % 3 == 0) })
    }

    @Test func argumentsAndTheTableForPeople() throws {
        let run = try sites(
            ["match", "--list", "rules", "https://a.host.example/", "nonsense"],
            files: ["rules": rules]
        )
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "allowed  https://a.host.example/  *.host.example: allowed by line 1 of rules")
        #expect(lines[1].hasPrefix("invalid  nonsense  invalid: offset 8: the scheme is missing"))
        let yes = try sites(["match", "--list", "rules", "https://a.host.example/"], files: ["rules": rules])
        #expect(yes.status == 0)
    }

    @Test("A repeated answer has the same text", arguments: [false, true])
    func repeatedAnswers(isJSON: Bool) throws {
        let urls = ["https://a.host.example/", "https://login.host.example/", "https://other.example/", "nonsense"]
        let run = try sites(
            ["match", "--list", "rules"] + (isJSON ? ["--json"] : []),
            files: ["rules": rules],
            input: Data((urls + urls + urls).joined(separator: "\n").utf8)
        )
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 12 && Set(lines).count == 4)
        #expect(lines[4..<8] == lines[0..<4] && lines[8..<12] == lines[0..<4])
    }

    @Test("Rules of two layers with the same number are two endings")
    func sameNumberInTwoLayers() throws {
        let urls = ["https://10.0.0.1/", "https://10.0.0.1/", "https://11.0.0.1/", "https://11.0.0.1/"]
        let run = try sites(
            ["match", "--list", "organisation", "--list", "team", "--list", "user"],
            files: ["organisation": "a.example", "team": "10.0.0.0/8", "user": "11.0.0.0/8"],
            input: Data((urls + urls).joined(separator: "\n").utf8)
        )
        let lists = run.output.split(separator: "\n").map { $0.contains("of team would") ? "team" : "user" }
        #expect(lists == ["team", "team", "user", "user", "team", "team", "user", "user"], "\(run.output)")
    }

    @Test func severalListsNarrow() throws {
        let run = try sites(
            [
                "match", "--list", "org", "--list", "user", "--json", "https://a.host.example/",
                "https://b.host.example/", "https://c.example",
            ],
            files: ["org": "*.host.example", "user": "\n!b.host.example\nc.example"]
        )
        #expect(run.status == 1)
        let answers = try answers(run.output)
        #expect(answers.map(\.list) == ["org", "user", nil])
        #expect(answers[1].line == 2)
        #expect(answers[2].reason.hasSuffix("line 3 of user would allow it, but may only narrow"))
    }

    @Test func explainShowsTheWalk() throws {
        let run = try sites(["explain", "--list", "rules", "https://login.host.example/"], files: ["rules": rules])
        #expect(run.status == 1 && run.error.isEmpty)
        #expect(run.output.contains("labels from the right: example, host, login"))
        #expect(run.output.hasSuffix("denied: the exception in line 2 of rules\n"))
        let json = try sites(
            ["explain", "--list", "rules", "--json", "https://x.host.example/"],
            files: ["rules": rules]
        )
        #expect(json.status == 0)
        let answer = try #require(try answers(json.output).first)
        #expect(answer.verdict == "allowed" && answer.line == 1)
        #expect(try sites(["explain", "--list", "rules", "https://[::1"], files: ["rules": rules]).status == 1)
    }

    @Test(arguments: [[], ["--layout", "fast"], ["--layout", "compact"]])
    func anImageAnswersLikeItsList(layout: [String]) throws {
        let folder = TemporaryFolder.place("image")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let image = folder.appending(path: "sites.image").path(percentEncoded: false)
        let compiled = try sites(["compile", "rules", "-o", image, "--json"] + layout, files: ["rules": rules])
        #expect(compiled.status == 0 && compiled.error.isEmpty)
        #expect(compiled.output.contains("\"rules\":3"))
        let input = Data("https://a.host.example/\nhttps://login.host.example/\nhttps://bücher.example/shop\n".utf8)
        let fromImage = try sites(["match", "--image", image, "--json"], files: [:], input: input)
        let fromList = try sites(["match", "--list", "rules", "--json"], files: ["rules": rules], input: input)
        #expect(fromImage.status == 1 && fromImage.error.isEmpty)
        let answers = try (self.answers(fromImage.output), self.answers(fromList.output))
        #expect(answers.0.map(\.verdict) == answers.1.map(\.verdict))
        #expect(answers.0.map(\.rule) == answers.1.map(\.rule) && answers.0.map(\.line) == answers.1.map(\.line))
        #expect(answers.0.allSatisfy { $0.list?.hasSuffix("rules") == true })
        // A flipped bit, a text, and a place that cannot be written.
        var bytes = try Data(contentsOf: URL(filePath: image))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: image))
        let broken = try sites(["match", "--image", image, "https://a.host.example/"], files: [:])
        #expect(broken.status == 2 && broken.output.isEmpty && broken.error.contains(image))
        let text = try sites(["match", "--image", "rules", "https://a"], files: ["rules": rules])
        #expect(text.status == 2 && text.error.contains("rules: this is not a compiled site list"))
        #expect(try sites(["compile", "rules", "-o", folder.path + "/no/such"], files: ["rules": rules]).status == 2)
        let device = try sites(["compile", "rules", "-o", "/dev/null"], files: ["rules": rules])
        #expect(
            device.status == 2 && device.error.contains("/dev/null: the image cannot be written (not a regular file)")
        )
        let missing = try sites(["match", "--list", "/nonexistent", "https://a"], files: [:])
        #expect(missing.error == "sallyport sites match: /nonexistent: the file does not exist; check the path\n")
        let unknown = try sites(["compile", "rules", "-o", image, "--layout", "round"], files: ["rules": rules])
        #expect(unknown.status == 2 && unknown.error.contains("fast, compact"))
    }

    @Test func everyBadLineIsNamed() throws {
        let bad = "a.example\n*b.example\n*.com\n"
        let strict = try sites(["match", "--list", "bad", "https://a.example/"], files: ["bad": bad])
        #expect(strict.status == 2 && strict.output.isEmpty)
        let lines = strict.error.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("bad:2:1: '*b.example' would cover"))
        #expect(lines[1].hasPrefix("bad:3:1: anyone can register"))
        // What was named once is not named again.
        #expect(
            lines[2]
                == "sallyport sites match: bad: 2 bad lines: correct what is named above, or use --lenient to leave it out"
        )
        let lenient = try sites(["match", "--lenient", "--list", "bad", "https://a.example/"], files: ["bad": bad])
        #expect(lenient.status == 0 && lenient.error.split(separator: "\n").count == 2)
        let exception = try sites(
            ["match", "--lenient", "--list", "bad", "https://a.example/"],
            files: ["bad": bad + "!*"]
        )
        #expect(exception.status == 2)
    }

    @Test func foreignLists() throws {
        let chromium = "*.host.example,*google.com"
        let run = try sites(
            ["match", "--dialect", "chromium", "--list", "policy", "http://a.host.example:8080/"],
            files: ["policy": chromium]
        )
        #expect(run.status == 2 && run.error.contains("\"*google.com\" is left out"))
        let lenient = try sites(
            ["match", "--lenient", "--dialect", "chromium", "--list", "policy", "http://a.host.example:8080/"],
            files: ["policy": chromium]
        )
        #expect(lenient.status == 0)
    }

    @Test(
        "What cannot run ends with two",
        arguments: [
            (["match", "https://a.example/"], "--list"), (["match", "--list", "/nonexistent"], "/nonexistent"),
            (["match", "--list", "rules", "--dialect", "klingon"], "--dialect takes"),
            (["explain", "--list", "rules"], "url"),
            (["match", "--list", "/"], "/"),
        ]
    )
    func couldNotRun(arguments: [String], word: String) throws {
        let run = try sites(arguments, files: ["rules": rules])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains(word))
    }

    @Test("What may be an exception in a foreign list is never left out")
    func foreignExceptionsStay() throws {
        let zones = "*.example.com 1\nhr.example.com  4 # never\n"
        let url = "https://hr.example.com"
        let run = try sites(
            ["match", "--lenient", "--dialect", "windows-zones", "--list", "zones", url],
            files: ["zones": zones]
        )
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.contains("zones: 2: ") && run.error.contains("1 of these may be meant as exceptions"))
        let good = zones.replacing(" # never", with: "")
        let refused = try sites(
            ["match", "--dialect", "windows-zones", "--list", "zones", url],
            files: ["zones": good]
        )
        #expect(refused.status == 1 && refused.output.hasPrefix("denied"))
    }

    @Test func aForeignListMayHavePublicSuffixes() throws {
        let arguments = ["match", "--dialect", "no-proxy", "--list", "names", "http://printer.com"]
        let refused = try sites(arguments, files: ["names": "127.0.0.1,*.com\n"])
        #expect(refused.status == 2 && refused.error.contains("public suffixes allowed"))
        let run = try sites(arguments + ["--allow-public-suffix"], files: ["names": "127.0.0.1,*.com\n"])
        #expect(run.status == 0 && run.error.isEmpty)
        let rules = try sites(
            ["match", "--allow-public-suffix", "--list", "rules", "https://a.example"],
            files: ["rules": rules]
        )
        #expect(rules.status == 2 && rules.error.contains("--dialect"))
    }

    @Test("Names of networks need no option, and a message says what was read", arguments: [[], ["--lenient"]])
    func namesOfNetworks(options: [String]) throws {
        let names = ["names": "localhost,.corp,wiki,*.local\n"]
        func match(_ url: String) throws -> Run {
            try sites(["match", "--dialect", "no-proxy", "--list", "names", url] + options, files: names)
        }
        for url in ["http://localhost", "http://a.localhost", "http://a.corp", "http://wiki", "http://printer.local"] {
            let run = try match(url)
            #expect(run.status == 0, "\(url)")
            let lines = run.error.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains("\"wiki\" is read as that host alone, without "))
            #expect(!run.error.contains("left out"))
        }
        for url in ["http://a.wiki", "http://corp", "http://local"] { #expect(try match(url).status == 1, "\(url)") }
    }

    @Test("An image takes the place of an image, and of no other file")
    func outputsAreImages() throws {
        let folder = TemporaryFolder.place("outputs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        func compile(to name: String) throws -> SallyportRun {
            try SallyportRun(["sites", "compile", path("list"), "--output", path(name)])
        }
        try Data("a.example\n".utf8).write(to: URL(filePath: path("list")))
        try Data("precious".utf8).write(to: URL(filePath: path("other")))
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("list"))
        for (name, reason) in [("list", "one of the lists"), ("link", "one of the lists"), ("other", "not an image")] {
            let run = try compile(to: name)
            #expect(run.status == 2 && run.error.contains(reason), "\(name)")
        }
        #expect(try String(contentsOfFile: path("list"), encoding: .utf8) == "a.example\n")
        #expect(try String(contentsOfFile: path("other"), encoding: .utf8) == "precious")
        #expect(try compile(to: "image").status == 0)
        #expect(try compile(to: "image").status == 0)
    }

    @Test("An image of several lists says in which of them a line is")
    func imagesNameTheirLists() throws {
        let folder = TemporaryFolder.place("lists")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["org", "user"].map { folder.appending(path: $0).path(percentEncoded: false) }
        for (file, host) in zip(files, ["a", "b"]) { try Data("\(host).example\n".utf8).write(to: URL(filePath: file)) }
        let image = folder.appending(path: "both").path(percentEncoded: false)
        #expect(try SallyportRun(["sites", "compile"] + files + ["--output", image]).status == 0)
        let run = try SallyportRun(["sites", "match", "--image", image, "https://b.example"])
        #expect(run.output.contains("allowed by line 1 of \(files[1]) in \(image)"))
    }
}
