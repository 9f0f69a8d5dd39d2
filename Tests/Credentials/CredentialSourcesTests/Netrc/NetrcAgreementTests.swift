import CredentialSources
import Foundation
import Hostnames
import TestLimits
import TestSupport
import Testing

/// What other programs read in the same files.
@Suite(.inTurn, .enabled(if: NetrcOracle.isUsable, "python3 is missing: apt-get install python3"))
struct NetrcAgreementTests {
    private func ours(_ file: String, _ host: String) throws -> NetrcOracle.Answer {
        let entry = try NetrcFile(readingFileAt: file).entry(for: try Hostname(parsing: host))
        guard let entry else { return .nothing }
        return .found([entry.login ?? "", entry.password?.text ?? ""])
    }

    @Test("Python and curl read random files as this parser does", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) async throws {
        try await SourceSamples.inFolder { folder in
            var generator = SeededGenerator(seed: seed)
            var questions: [(file: String, host: String)] = []
            for number in 0..<12 {
                let path = try SourceSamples.write(randomFile(&generator), "netrc\(number)", in: folder)
                questions += [(path, "h\(Int.random(in: 0..<4, using: &generator)).example"), (path, "other.example")]
            }
            for (question, found) in zip(questions, try NetrcOracle.answers(questions)) {
                let text = try String(contentsOfFile: question.file, encoding: .utf8)
                let ours = try ours(question.file, question.host)
                #expect(found.python == ours, "\(question.host) in \(text)")
                if found.curl != .failure("missing") { #expect(found.curl == ours, "\(question.host) in \(text)") }
            }
        }
    }

    /// A file in the part of the language that all programs read in one way.
    private func randomFile(_ generator: inout SeededGenerator) -> String {
        func value() -> String {
            let length = Int.random(in: 1...8, using: &generator)
            let letters = (0..<length).map { _ in
                "abcXYZ019!$%&/()=?*+~;,.-_{}[]|^<>@é€".randomElement(using: &generator) ?? "a"
            }
            let text = String(letters)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: return text
            case 1: return "\"\(text)\""
            default: return "\"\(text) \\\"#\\\\ \(text)\""
            }
        }
        func blank() -> String { [" ", "  ", "\t", "\n  "].randomElement(using: &generator) ?? " " }
        var text = Bool.random(using: &generator) ? "# a comment\n" : ""
        for host in [0, 1, 2, 3].shuffled(using: &generator).prefix(3) {
            if Int.random(in: 0..<4, using: &generator) == 0 { text += "macdef m\( host)\nmachine h9.example\n\n" }
            text += "machine h\(host).example\(blank())login \(value())\(blank())password \(value())\n"
        }
        if Bool.random(using: &generator) { text += "default login \(value()) password \(value())\n" }
        return text
    }

    @Test("Each documented difference is one") func differences() async throws {
        typealias Answer = NetrcOracle.Answer
        typealias Case = (text: String, ours: NetrcError.Problem?, python: Answer?, curl: Answer?)
        let cases: [Case] = [
            // Python takes a backslash out of a word without quotes.
            (
                #"machine a.example login ACME\jdoe password p"#, nil, .found(["ACMEjdoe", "p"]),
                .found([#"ACME\jdoe"#, "p"])
            ),
            // curl makes a line feed of \n in quotes.
            (
                #"machine a.example login jdoe password "a\nb""#, nil, .found(["jdoe", "anb"]),
                .found(["jdoe", "a\nb"])
            ),
            // A value that begins with a number sign.
            ("machine a.example login jdoe password #p", .numberSign, .found(["jdoe", "#p"]), nil),
            // A value on the next line.
            (
                "machine a.example login jdoe password\np", .valueMissing(.password), .found(["jdoe", "p"]),
                .found(["jdoe", "p"])
            ),
            // Words that are not keywords.
            ("machine a.example login jdoe port password p", .unknownWord, .failure("error"), .found(["jdoe", "p"])),
            // The last entry of a host counts in Python, the first in curl.
            (
                "machine a.example login a password 1\nmachine a.example login b password 2", nil,
                .found(["b", "2"]), .found(["a", "1"])
            ),
        ]
        try await SourceSamples.inFolder { folder in
            let files = try cases.enumerated().map { try SourceSamples.write($1.text + "\n", "netrc\($0)", in: folder) }
            let found = try NetrcOracle.answers(files.map { ($0, "a.example") })
            for (index, one) in cases.enumerated() {
                if let problem = one.ours {
                    #expect(throws: NetrcError(file: files[index], line: 1, problem: problem)) {
                        try ours(files[index], "a.example")
                    }
                } else {
                    #expect(try ours(files[index], "a.example") == one.curl, "\(one.text)")
                }
                if let python = one.python { #expect(found[index].python == python, "\(one.text)") }
                if let curl = one.curl, found[index].curl != .failure("missing") {
                    #expect(found[index].curl == curl, "\(one.text)")
                }
            }
        }
    }
}
