import Foundation
import LiveServers
import TestSupport
import Testing

/// A person at the relay's terminal who mistypes, does not answer, and wants to end.
@Suite(.inTurn, .needs(.python)) struct RelayPersonTests {
    @Test("A mistyped name is corrected, an empty answer is no last word, nothing runs into a question, Ctrl-C tells")
    func mistakes() throws {
        let folder = try StoreFolder()
        let script = HelperFile.url("relay_person.py")
        let run = try SallyportRun(
            [
                "python3", script.path(percentEncoded: false), SallyportRun.executable.path, "relay", "--listen",
                "127.0.0.1:0", "--parent", "PARENT", "--basic", "--key-file", folder.path("key"), "--watch",
            ],
            environment: folder.environment,
            program: URL(filePath: "/usr/bin/env")
        )
        let result = try run.json()
        let lines = try #require(result["lines"] as? [String], "\(run.error)")
        #expect(lines.count == 4)
        #expect(lines.map { $0.split(separator: " ")[1] } == ["200", "502", "502", "200"], "\(lines)")
        #expect(lines[1].hasSuffix("was refused: update it"), "\(lines[1])")
        #expect(lines[2].contains(" was refused here and accepted nowhere since"), "\(lines[2])")
        // Five questions for a password: nothing but its end of line stands behind each.
        #expect(result["after"] as? [String] == ["", "", "", "", ""])
        let shown = try #require(result["shown"] as? String)
        #expect(shown.contains("User name [jode]: jdoe"), "\(shown)")
        #expect(shown.contains("warning refused reason=https://127.0.0.1:9: "), "\(shown)")
        #expect(result["waits"] as? Bool == true)
        #expect(
            shown.contains("the relay ends: it waits for 2 tunnels, 10 s at most; Ctrl-C or SIGTERM ends it at once")
        )
        #expect(result["exit"] as? Int == 0)
        #expect(!shown.contains("first") && !shown.contains("second\r"))
    }
}
