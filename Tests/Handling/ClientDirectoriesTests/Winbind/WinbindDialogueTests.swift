import ClientAuthentication
import NTLM
import Secrets
import Testing
import WireFormat

@testable import ClientDirectories

/// The lines of `ntlm-server-1`, as Samba 4.17 writes and reads them.
@Suite struct WinbindDialogueTests {
    private static func kind(_ text: String) -> String? {
        guard let answer = WinbindAnswer(Array(text.utf8).span) else { return nil }
        return switch answer {
        case .right(let key): key == nil ? "right" : "right with a key"
        case .wrong: "wrong"
        case .failed(let reason): "failed: \(reason)"
        }
    }

    @Test(
        "Answers",
        arguments: [
            ("Authenticated: Yes\n", "right"),
            ("Authenticated: Yes\nUser-Session-Key: 3F373EA8E4AF954F14FAA506F8EEBDC4\n", "right with a key"),
            ("Authenticated: Yes\nUser-Session-Key: 3F37\n", "right"), ("Authenticated: No\n", "wrong"),
            ("Authenticated: No\nAuthentication-Error: The specified account does not exist.\n.\n", "wrong"),
            (".\nAuthenticated: No\n", "wrong"),
            (
                "Authenticated: No\nAuthentication-Error: Reading winbind reply failed!\n",
                "failed: Reading winbind reply failed!"
            ),
            ("", nil), (".\n", nil), ("Authenticated: Maybe\n", nil), ("Authenticated\n", nil), ("yes\n", nil),
        ] as [(String, String?)]
    )
    func answers(text: String, expected: String?) { #expect(Self.kind(text) == expected) }

    @Test("What a client chooses ends no line of a question")
    func questions() {
        let question = WinbindQuestion(
            name: ClientName(user: "jdoe\n.\nUsername: ada", domain: "AC\nME"),
            domain: "OTHER",
            proof: .password(SharedSecret(utf8: "pass\nword: .\n"))
        )
        let lines = question.text.withBytes { String(decoding: Array(copying: $0), as: UTF8.self) }.split(
            separator: "\n"
        )
        #expect(lines.count == 4 && lines.last == ".")
        #expect(lines[1] == "NT-Domain:: QUMKTUU=" && lines[2] == "Password:: cGFzcwp3b3JkOiAuCg==")
    }

    @Test("A name without a domain is asked about in the directory's own")
    func domains() {
        let password = SharedSecret(utf8: "x")
        func lines(_ name: String, _ domain: String) -> [Substring] {
            let question = WinbindQuestion(name: ClientName(name), domain: domain, proof: .password(password))
            return question.text.withBytes { String(decoding: Array(copying: $0), as: UTF8.self) }.split(
                separator: "\n"
            )
        }
        #expect(lines("jdoe", "").count == 3)
        #expect(lines("jdoe", "ACME")[1] == "NT-Domain:: QUNNRQ==")
        #expect(lines("ACME\\jdoe", "OTHER")[1] == "NT-Domain:: QUNNRQ==")
    }
}
