import Foundation
import LiveServers
import TestSupport
import Testing

@Suite(.inTurn) struct StudyCommandTests {
    private static let quick = ["--latency-rounds", "0", "--resamplings", "20"]

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = TemporaryFolder.place("study")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func withoutArgumentsTheRecordingThatShipsIsStudied() throws {
        let run = try SallyportRun(["study"])
        #expect(run.status == 0)
        #expect(run.error == "")
        #expect(run.output.hasPrefix("public sites 2023-2026: 223 captures of 9 hosts, 185 certificates"))
        for name in ["leaf-certificate", "leaf-key+next", "issuers-365d", "roots-seen"] {
            #expect(run.output.contains("\n\(name) "), "\(name)")
        }
        #expect(!run.output.contains(" \n"))
    }

    @Test func jsonHasTheNumbersAndTheParameters() throws {
        let run = try SallyportRun(
            ["study", "--json", "--half-life", "3", "--every", "30", "--strategy", "leaf-key"] + Self.quick
        )
        #expect(run.status == 0)
        let object = try run.json()
        let parameters = try #require(object["parameters"] as? [String: Any])
        #expect(parameters["halfLifeDays"] as? Double == 3)
        #expect(parameters["gridDays"] as? Int == 30)
        #expect(parameters["seed"] as? Int == 1)
        let strategies = try #require(object["strategies"] as? [[String: Any]])
        #expect(strategies.map { $0["name"] as? String } == ["leaf-key"])
    }

    @Test func issuersOfAsManyDaysAsTheNameSays() throws {
        let run = try SallyportRun(
            ["study", "--json", "--strategy", "issuers-90d", "--strategy", "issuers-365d"] + Self.quick
        )
        let strategies = try #require(run.json()["strategies"] as? [[String: Any]])
        #expect(strategies.map { $0["name"] as? String } == ["issuers-90d", "issuers-365d"])
        let pins = strategies.compactMap { ($0["cost"] as? [String: Any])?["pins"] as? Double }
        #expect(pins.count == 2 && pins[0] < pins[1])
    }

    @Test func partsMergeToTheSameReport() throws {
        try inFolder { folder in
            var files: [String] = []
            for part in 1...3 {
                files.append(folder.appending(path: "part-\(part)").path)
                let run = try SallyportRun(["study", "--partial", files[part - 1], "--part", "\(part)/3"] + Self.quick)
                #expect(run.status == 0)
                #expect(run.output == "")
            }
            let merged = try SallyportRun(["study", "merge", "--json"] + files)
            let whole = try SallyportRun(["study", "--json"] + Self.quick)
            #expect(merged.status == 0)
            #expect(merged.output == whole.output)
            let lacking = try SallyportRun(["study", "merge"] + files.dropLast())
            #expect(lacking.status == 2)
            #expect(lacking.error == "sallyport study: only 6 of 9 hosts are in the parts: add the missing parts\n")
        }
    }

    @Test(
        "A policy and a curve of one's own, one that ends and one that ends after all time",
        arguments: ["30,1", "1e15,1"]
    )
    func policyAndCurve(end: String) throws {
        try inFolder { folder in
            let policy = folder.appending(path: "pins.txt")
            // The keys of two roots, for one host; the other hosts are not pinned.
            let pins = ["i7WTqTvh0OioIruIfFR4kMPnBqrS2rdiVPl/s2uC/CY=", "uUwZgwDOxcBXrQcntwu+kYFpkiVkOaezL0WYEZ3anJc="]
            let list = pins.map { "\"sha256/\($0)\"" }.joined(separator: ", ")
            try Data(".add(\"apple.com\", \(list))\n".utf8).write(to: policy)
            let curve = folder.appending(path: "curve.csv")
            try Data("0,0.5\n\(end)\n".utf8).write(to: curve)
            let arguments = ["--policy", policy.path, "--policy-format", "okhttp", "--updates", curve.path]
            let run = try SallyportRun(["study", "--json", "--strategy", "root-key"] + arguments + Self.quick)
            #expect(run.error == "")
            let parameters = try #require(run.json()["parameters"] as? [String: Any])
            #expect(parameters["curve"] as? String == "points")
            let strategies = try #require(run.json()["strategies"] as? [[String: Any]])
            #expect(strategies.map { $0["name"] as? String } == ["root-key", "policy"])
            // Two pins at one of nine hosts.
            let cost = try #require(strategies.last?["cost"] as? [String: Any])
            #expect(try abs(#require(cost["pins"] as? Double) - 2.0 / 9) < 1e-12)
            #expect(cost["mostPins"] as? Int == 2)
        }
    }

    @Test(
        "What cannot be run ends with 2 and one line",
        arguments: [
            (["/nonexistent"], "does not exist; name a folder, or one of public-sites, lab"),
            (["--strategy", "luck"], "--strategy luck"),
            (["--strategy", "issuers-0d"], "--strategy issuers-0d"),
            (["--updates", "/nonexistent"], "/nonexistent: the file does not exist; check the path"),
            (["merge", "/nonexistent"], "the file does not exist"),
            (["--policy", "/nonexistent"], "/nonexistent"), (["--partial", "/nonexistent/x"], "cannot be written"),
        ] as [([String], String)]
    )
    func unusable(arguments: [String], problem: String) throws {
        let run = try SallyportRun(["study"] + arguments)
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(run.error.hasPrefix("sallyport study: "), "\(run.error)")
        #expect(run.error.contains(problem), "\(run.error)")
    }

    @Test(
        "Usage",
        arguments: [
            ["--half-life", "-1"], ["--every", "0"], ["--part", "3/2", "--partial", "x"], ["--part", "1/2"],
            ["--resamplings", "1000000000"], ["merge"],
        ]
    )
    func usage(arguments: [String]) throws {
        let run = try SallyportRun(["study"] + arguments)
        #expect(run.status == 2)
        #expect(run.error.contains("; see sallyport study") && !run.error.contains(".;"), "\(run.error)")
    }

    @Test("A curve of updates whose lines end in CR LF is the same curve")
    func updatesOfWindows() throws {
        try inFolder { folder in
            let curve = folder.appending(path: "curve.csv")
            func study(_ text: String) throws -> SallyportRun {
                try Data(text.utf8).write(to: curve)
                return try SallyportRun(
                    ["study", "--json", "--strategy", "leaf-key", "--updates", curve.path] + Self.quick
                )
            }
            let plain = try study("# days, share\n1,0.25\n7,0.5\n30,1\n")
            let windows = try study("# days, share\r\n1,0.25\r\n7,0.5\r\n30,1\r\n")
            #expect(plain.status == 0 && windows.status == 0 && windows.error.isEmpty)
            #expect(windows.output == plain.output)
        }
    }
}
