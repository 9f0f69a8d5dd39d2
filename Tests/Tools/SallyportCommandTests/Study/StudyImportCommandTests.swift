import Foundation
import LiveServers
import TestSupport
import Testing

@Suite(.inTurn) struct StudyImportCommandTests {
    private static func run(_ arguments: [String], files: [String: String]) throws -> (SallyportRun, String) {
        let folder = TemporaryFolder.place("import")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let run = try SallyportRun(["study", "import"] + arguments.map { $0.replacing("@", with: folder.path + "/") })
        let observations = folder.appending(path: "out/observations.ndjson")
        return (run, (try? String(contentsOf: observations, encoding: .utf8)) ?? "")
    }

    // The fixtures' leaf is leaf.example's, valid from 2026-11-21 for 90 days.
    @Test(
        "A chain is validated at its own time",
        arguments: [
            ("2026-12-01T00:00:00Z", "leaf.example", 1), ("2030-01-01T00:00:00Z", "leaf.example", 0),
            (
                "2026-12-01T00:00:00Z", "other.example", 0
            ),
        ]
    )
    func validation(time: String, host: String, validated: Int) throws {
        let (run, observations) = try Self.run(
            ["pem", "@chain.pem", "--host", host, "--at", time, "--roots", "@roots.pem", "--out", "@out"],
            files: ["chain.pem": PinsRun.chain(["leaf", "issuer"]), "roots.pem": PinsRun.chain(["anchor"])]
        )
        #expect(run.status == 0)
        #expect(run.output == "1 chain imported, \(validated) of them validated; 0 entries left out\n")
        let line = try JSONSerialization.jsonObject(with: Data(observations.utf8)) as? [String: Any] ?? [:]
        #expect((line["chain"] as? [String])?.count == (validated == 1 ? 3 : nil))
        #expect((line["presented"] as? [String])?.count == 2)
        #expect(line["time"] as? String == time)
        #expect((line["note"] == nil) == (validated == 1))
    }

    @Test func entriesWithoutAChainAreANo() throws {
        let (run, _) = try Self.run(
            ["openssl", "@a.example.txt", "--out", "@out"],
            files: ["a.example.txt": "CONNECTED(00000003)\n---\nno peer certificate available\n---\n"]
        )
        #expect(run.status == 1)
        #expect(run.output == "0 chains imported, 0 of them validated; 1 entry left out\n")
        #expect(
            run.error.contains("a.example.txt: no line 'Certificate chain' is in it, because the connection failed")
        )
    }

    @Test(
        "A broken line of a scan costs itself, unless an option says how many may be left out",
        arguments: [nil, 0, 24, 25, 100]
    )
    func brokenLines(share: Int?) throws {
        let leaf = try PinsRun.chain(["leaf"]).split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let log = #"{"handshake_log":{"server_certificates":{"certificate":{"raw":"\#(leaf)"}}}}"#
        let good = #"{"domain":"leaf.example","data":{"tls":{"timestamp":"2026-12-01T00:00:00Z","result":\#(log)}}}"#
        let scan = [good, #"{"domain":"gone.example"}"#, good, good].joined(separator: "\n")
        let (run, observations) = try Self.run(
            ["zgrab2", "@scan", "--out", "@out"] + (share.map { ["--most-left-out", "\($0)"] } ?? []),
            files: ["scan": scan]
        )
        // One of four is 25 percent.
        #expect(run.status == (share.map { $0 < 25 } == true ? 2 : 1), "\(run)")
        #expect(run.output == "3 chains imported, 0 of them validated; 1 entry left out\n")
        #expect(run.error.contains("scan:2: the scan saw no certificate"))
        #expect(run.error.contains("1 of 4 entries were left out, more than the") == (run.status == 2))
        #expect(observations.split(separator: "\n").count == 3)
    }

    @Test("A chain that cannot be verified is not judged, counted apart, and kept with what the scan said")
    func notJudged() throws {
        let cases = HelperFile.url("../../Study/Helpers/Unjudged/cases.tsv")
        let fields = try String(contentsOf: cases, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        let names = ["PSS", "Ed448", "PSS with P-256 below", "RSA 1024", "P-256"]
        let lines = try names.map { name in
            let leaf = try #require(fields.first { $0[0] == name })[3]
            let verdict = #""validation":{"browser_trusted":true}"#
            let log = #"{"handshake_log":{"server_certificates":{"certificate":{"raw":"\#(leaf)"},\#(verdict)}}}"#
            return
                #"{"domain":"a.example","data":{"tls":{"timestamp":"2026-06-01T00:00:00Z","result":\#(log)}}}"#
        }
        let (run, observations) = try Self.run(
            ["zgrab2", "@scan", "--out", "@out"],
            files: ["scan": lines.joined(separator: "\n")]
        )
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "5 chains imported, 0 of them validated, 4 not judged; 0 entries left out\n")
        let remedy = "recorded as presented; verify it with another program, such as 'openssl verify'"
        let pss =
            "a.example: not judged: signature algorithm RSASSA-PSS (1.2.840.113549.1.1.10): \(remedy) (and 1 more like it)"
        #expect(run.error.contains(pss), "\(run.error)")
        let notes = try observations.split(separator: "\n").map { line in
            (try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["note"] as? String
        }
        let said = "; the scan says: trusted by browsers"
        #expect(notes[1] == "not judged: signature algorithm Ed448 (1.3.101.113)\(said)")
        #expect(notes[3] == "not judged: signature algorithm RSA with a key of 1024 bits\(said)")
        #expect(notes[4] == "not validated: no path to a trusted root\(said)")
        // Another root helps the one that was refused, and only that one.
        #expect(run.error.contains("name --roots"))
        let (unjudged, _) = try Self.run(
            ["zgrab2", "@scan", "--out", "@out"],
            files: ["scan": lines.prefix(4).joined(separator: "\n")]
        )
        #expect(!unjudged.error.contains("name --roots") && unjudged.status == 0, "\(unjudged)")
    }

    @Test("A share that is none ends with 2", arguments: ["-1", "101", "half"]) func noShare(share: String) throws {
        let (run, _) = try Self.run(["zgrab2", "@x", "--out", "@out", "--most-left-out=\(share)"], files: ["x": "{}"])
        #expect(run.status == 2 && run.output.isEmpty, "\(run)")
    }

    @Test(
        "What cannot be read ends with 2 and one line",
        arguments: [
            ["unknown", "@x", "--out", "@out"], ["pem", "@absent", "--out", "@out"], ["limbo", "@x", "--out", "@out"],
            ["zgrab2", "@x", "--out", "@out"], ["pem", "@x", "--host", "a b", "--out", "@out"],
            ["pem", "@x", "--at", "yesterday", "--out", "@out"], ["pem", "@x"],
        ]
    )
    func unreadable(arguments: [String]) throws {
        let (run, _) = try Self.run(arguments, files: ["x": "[1]\n"])
        #expect(run.status == 2)
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test("Lines that end with CR LF are read, and blank ones are left out without a word")
    func blankLines() throws {
        let leaf = try PinsRun.chain(["leaf"]).split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let log = #"{"handshake_log":{"server_certificates":{"certificate":{"raw":"\#(leaf)"}}}}"#
        let line = #"{"domain":"a.example","data":{"tls":{"timestamp":"2026-12-01T00:00:00Z","result":\#(log)}}}"#
        let (run, _) = try Self.run(
            ["zgrab2", "@scan", "--out", "@out"],
            files: [
                "scan": ["", line, "", " \t", line.replacing("a.example", with: "b.example"), "", ""].joined(
                    separator: "\r\n"
                )
            ]
        )
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "2 chains imported, 0 of them validated; 0 entries left out\n")
        #expect(!run.error.contains("not JSON"))
    }

    @Test("A file of roots that has something else ends with 2 and one line that names it")
    func otherRoots() throws {
        // The beginning of a key in PKCS#8 (RFC 5208 section 5), which begins as a certificate in DER does.
        let der = Data([0x30, 0x0B, 0x02, 0x01, 0x00, 0x30, 0x00, 0x04, 0x04, 0x30, 0x02, 0x02, 0x00])
        let pem = "-----BEGIN CERTIFICATE-----\n\(der.base64EncodedString())\n-----END CERTIFICATE-----\n"
        let folder = try TemporaryFolder("roots")
        try der.write(to: folder.url.appending(path: "key.der"))
        let chain = try folder.write(PinsRun.chain(["leaf"]), "leaf.example.pem")
        let roots = [
            (folder.url.appending(path: "key.der").path, "it is not a certificate"),
            (try folder.write(PinsRun.chain(["anchor"]) + pem, "two.pem"), "certificate 2 is not a certificate"),
            (try folder.write(pem, "one.pem"), "it is not a certificate"),
            (try folder.write("no roots\n", "text"), "contains no certificate"),
            (folder.url.path, "this is a folder"),
        ]
        let out = folder.url.appending(path: "out").path
        for (file, problem) in roots {
            for command in [["study", "import", "pem", chain], ["record", "127.0.0.1:1"]] {
                let run = try SallyportRun(command + ["--out", out, "--roots", file])
                let words = "sallyport \(command.first == "study" ? "study import" : "record"): \(file): \(problem)"
                #expect(run.status == 2 && run.output.isEmpty && run.error.hasPrefix(words), "\(run)")
                #expect(run.error.split(separator: "\n").count == 1, "\(run)")
            }
            let get = try SallyportRun(["get", "https://127.0.0.1:1/", "--cacert", file, "--no-prompt", "--no-store"])
            #expect(get.status == 2 && get.error.contains("\(file): \(problem)"), "\(get)")
        }
    }

    @Test(
        "A time that no certificate library takes ends with 2 and one line, not with a trap",
        arguments: [
            "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "2026-02-30T00:00:00Z",
            "2026-01-01T25:00:00Z", "2026-01-01T00:00:61Z", "9999-12-31T23:59:59-00:01",
        ]
    )
    func impossibleTimes(time: String) throws {
        let files = ["leaf.example.pem": try PinsRun.chain(["leaf", "issuer"])]
        let commands = [
            ["study", "import", "pem", "@leaf.example.pem", "--out", "@out"], ["pins", "audit", "@leaf.example.pem"],
            ["pins", "check", "--policy", "@x", "--host", "leaf.example", "@leaf.example.pem"],
        ]
        for command in commands {
            let run = try Self.runAny(command + ["--at", time], files: files)
            #expect(run.status == 2 && run.output.isEmpty, "\(run)")
            #expect(run.error.contains("--at: '\(time)' is not a time, because the "), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
        let leaf = try PinsRun.chain(["leaf"]).split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        let log = #"{"handshake_log":{"server_certificates":{"certificate":{"raw":"\#(leaf)"}}}}"#
        let line = #"{"domain":"leaf.example","data":{"tls":{"timestamp":"\#(time)","result":\#(log)}}}"#
        let scan = try Self.runAny(["study", "import", "zgrab2", "@scan", "--out", "@out"], files: ["scan": line])
        #expect(scan.status == 2 && scan.error.contains("scan:1: '\(time)' is not a time"), "\(scan)")
    }

    @Test("A file that was last written outside of the years 1 to 9999 needs --at") func lastWritten() throws {
        let folder = TemporaryFolder.place("import")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "leaf.example.pem")
        try Data(PinsRun.chain(["leaf"]).utf8).write(to: file)
        var times = [timeval(tv_sec: 253_402_300_800, tv_usec: 0), timeval(tv_sec: 253_402_300_800, tv_usec: 0)]
        // Not every file system keeps such a time; one that does not has nothing to be tested.
        guard unsafe utimes(file.path, &times) == 0,
            let date = try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date,
            date.timeIntervalSince1970 >= 253_402_300_800
        else { return }
        let run = try SallyportRun(["study", "import", "pem", file.path, "--out", folder.path + "/out"])
        #expect(run.status == 2 && run.error.contains("say with --at when its chain was seen"), "\(run)")
    }

    @Test("A folder with other files is refused, and appending is reported", .inTurn)
    func folders() throws {
        let folder = TemporaryFolder.place("import")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(PinsRun.chain(["leaf"]).utf8).write(to: folder.appending(path: "leaf.example.pem"))
        func run(_ out: String) throws -> SallyportRun {
            try SallyportRun(["study", "import", "pem", folder.path + "/leaf.example.pem", "--out", folder.path + out])
        }
        let other = try run("")
        #expect(other.status == 2 && other.error.contains("holds other files, such as 'leaf.example.pem'"), "\(other)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["leaf.example.pem"])
        #expect(!(try run("/new").error.contains("appending")))
        let again = try run("/new")
        #expect(
            again.status == 0 && again.error.contains("appending to the recording in \(folder.path)/new\n"),
            "\(again)"
        )
        #expect(unsafe mkfifo(folder.path + "/b.example.pem", 0o600) == 0)
        let pipe = try SallyportRun(["study", "import", "pem", folder.path, "--out", folder.path + "/new"])
        let reason = "/b.example.pem: cannot be read (not a regular file)"
        #expect(pipe.status == 1 && pipe.error.contains(reason), "\(pipe)")
    }

    private static func runAny(_ arguments: [String], files: [String: String]) throws -> SallyportRun {
        let folder = TemporaryFolder.place("import")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try SallyportRun(arguments.map { $0.replacing("@", with: folder.path + "/") })
    }
}
