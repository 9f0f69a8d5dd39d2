import Foundation
import TestLimits
import Testing

/// Every suite that waits has a limit, which ends a hang: the trait `.inTurn`.
///
/// A suite waits if it awaits, sleeps, runs a process, or uses a type of its own target or of LiveServers that runs one.
/// A suite that only computes needs no limit.
@Suite struct TimeLimitTests {
    /// What a suite that waits says.
    private static let waits = ["await ", "waitUntilExit(", "Process()", "usleep(", "Thread.sleep("]

    /// The code of a file, without its comments.
    private static func code(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        }.joined(separator: "\n")
    }

    /// The suites of `code` that have a word of `words` and not the trait: what declares each, and the word.
    private static func unlimited(_ code: String, _ words: [String]) -> [String] {
        let parts = code.components(separatedBy: "@Suite")
        // Tests beside no suite of their own have the traits of each test.
        guard parts.count > 1 else { return code.contains(".inTurn") ? [] : words.filter { code.contains($0) } }
        return parts.dropFirst().compactMap { part in
            let head = part.prefix { $0 != "{" }
            guard !head.contains(".inTurn"), let word = words.first(where: { part.contains($0) }) else { return nil }
            return "\(head.split(separator: " ").last ?? ""): \(word)"
        }
    }

    /// The names of the types at the top of a file.
    private static func types(of code: String) -> [String] {
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor"]
        return code.split(separator: "\n").filter { !$0.hasPrefix("     ") }.compactMap { line in
            let words = line.split { $0 == " " || $0 == ":" }
            return words.firstIndex(where: kinds.contains).flatMap { words.dropFirst($0 + 1).first.map(String.init) }
        }
    }

    /// The folder of a file's target.
    private static func target(_ file: String) -> String {
        file.split(separator: "/").first { $0.hasSuffix("Tests") || $0 == "LiveServers" || $0 == "TestSupport" }
            .map(String.init) ?? ""
    }

    @Test("Each suite that waits has the trait") func suites() throws {
        let files = try Repository.swiftFiles(below: "Tests").map { ($0.file, Self.code($0.text)) }
        var runners: [String: [String]] = [:]
        for (file, code) in files
        where !code.contains("@Test") && (code.contains("Process()") || code.contains("HelperProcess(")) {
            let uses = Self.types(of: code).flatMap { [" \($0)(", " \($0).", "(\($0)."] }
            runners[Self.target(file), default: []] += uses
        }
        let shared = ["LiveServers", "TestSupport"].flatMap { runners[$0] ?? [] }
        #expect(shared.contains(" HelperProcess("))
        var suites = 0
        // This file has suites as text.
        for (file, code) in files where code.contains("@Test") && file != "RepositoryTests/TimeLimitTests.swift" {
            suites += 1
            let found = Self.unlimited(code, Self.waits + shared + (runners[Self.target(file)] ?? []))
            #expect(found == [], "\(file): write @Suite(.inTurn), because each of these waits")
        }
        #expect(suites > 500)
    }

    @Test("No limit counts from the begin of the run, in which most tests wait for their turn") func noOther() throws {
        for (file, text) in try Repository.swiftFiles(below: "Tests") {
            #expect(!Self.code(text).contains(".timeLimit" + "(.minutes"), "\(file): .inTurn has a limit")
        }
    }

    @Test("What must be found is found") func theNetHolds() {
        func found(_ text: String) -> [String] { Self.unlimited(Self.code(text), Self.waits + [" Peer("]) }
        #expect(found("@Suite struct A {\n    @Test func a() async { await b() }\n}") == ["A: await "])
        #expect(found("@Suite(.serialized)\nstruct A {\n    let peer = try Peer()\n}") == ["A:  Peer("])
        #expect(found("@Suite(.inTurn) struct A { await a() }\n@Suite struct B { Process() }") == ["B: Process()"])
        #expect(found("extension A { @Test func a() async { await b() } }") == ["await "])
        #expect(found("extension A { @Test(.inTurn) func a() async { await b() } }") == [])
        #expect(found("@Suite struct A {\n    // It does not await a peer.\n}") == [])
        #expect(Self.types(of: "package final class Peer: A {\n    struct Own {}\n") == ["Peer", "Own"])
    }
}
