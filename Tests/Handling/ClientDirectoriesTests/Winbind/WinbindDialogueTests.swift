import ClientAuthentication
import Secrets
import Testing
import WireFormat

@testable import ClientDirectories
@testable import NTLM

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
            ("Authenticated: Yes\nUser-Session-Key: 3F37\n", "right"), ("Authenticated: No\n", "failed: "),
            ("Error: No username supplied!\n", "failed: No username supplied!"),
            ("Authenticated: No\nAuthentication-Error: The specified account does not exist.\n.\n", "wrong"),
            (".\nAuthenticated: No\nAuthentication-Error: The user account has been automatically locked.\n", "wrong"),
            (
                "Authenticated: No\nAuthentication-Error: Mutual Authentication failed. The server password is out of date.\n",
                "failed: Mutual Authentication failed. The server password is out of date."
            ),
            (
                "Authenticated: No\nAuthentication-Error: A user has requested a type of logon that is not granted.\n",
                "wrong"
            ),
            (
                "Authenticated: No\nAuthentication-Error: The workstation does not have a trust secret.\n",
                "failed: The workstation does not have a trust secret."
            ),
            (
                "Authenticated: No\nAuthentication-Error: The attempted logon is invalid. This is either due to a bad username or authentication information.\n",
                "wrong"
            ),
            (
                "Authenticated: No\nAuthentication-Error: Reading winbind reply failed!\n",
                "failed: Reading winbind reply failed!"
            ),
            ("", nil), (".\n", nil), ("Authenticated: Maybe\n", nil), ("Authenticated\n", nil), ("yes\n", nil),
        ] as [(String, String?)]
    )
    func answers(text: String, expected: String?) { #expect(Self.kind(text) == expected) }

    private static func lines(_ name: ClientName) -> [Substring] {
        let proof = ClientProof(
            user: "x",
            domain: "",
            serverChallenge: [1, 2, 3, 4, 5, 6, 7, 8],
            response: [0xAB, 0xCD]
        )
        let question = WinbindQuestion(name, proof)
        return question.text.withBytes { String(decoding: Array(copying: $0), as: UTF8.self) }.split(separator: "\n")
    }

    @Test("What a client chooses ends no line of a question")
    func questions() {
        let lines = Self.lines(ClientName(user: "jdoe\n.\nUsername: ada", domain: "AC\nME"))
        #expect(lines.count == 7 && lines.last == "." && lines[1] == "NT-Domain:: QUMKTUU=")
        #expect(lines[2] == "LANMAN-Challenge: 0102030405060708" && lines[4] == "NT-Response: abcd")
    }

    @Test("A name without a domain is one of the directory's own, and of winbind's if that has none")
    func domains() {
        #expect(Self.lines(ClientName("jdoe")).count == 6)
        let directory = WinbindDirectory(domain: "ACME")
        #expect(directory.canonical(ClientName("jdoe")) == ClientName(user: "jdoe", domain: "ACME"))
        #expect(directory.canonical(ClientName("OTHER\\jdoe")) == ClientName(user: "jdoe", domain: "OTHER"))
        #expect(WinbindDirectory().canonical(ClientName("jdoe")) == ClientName("jdoe"))
    }
}
