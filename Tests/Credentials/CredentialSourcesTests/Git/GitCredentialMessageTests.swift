import CredentialSources
import Hostnames
import Secrets
import Testing

@Suite struct GitCredentialMessageTests {
    private func parse(_ text: String) throws -> GitCredentialMessage { try parse([UInt8](text.utf8)) }

    private func parse(_ bytes: [UInt8]) throws -> GitCredentialMessage {
        try GitCredentialMessage(parsing: bytes.span, from: "helper")
    }

    private func text(_ message: GitCredentialMessage) throws -> String {
        SharedSecret(try message.encoded(for: "helper")).text
    }

    @Test("The example of git-credential(1) is written and read") func manual() throws {
        var message = GitCredentialMessage(scheme: "https", host: "example.com", path: "foo.git")
        #expect(try text(message) == "protocol=https\nhost=example.com\npath=foo.git\n\n")
        message.user = "bob"
        message.password = SharedSecret(utf8: "secr3t")
        message.expires = 1_900_000_000
        let written = try text(message)
        let lines = ["username=bob", "password=secr3t", "password_expiry_utc=1900000000", "", ""]
        #expect(written == "protocol=https\nhost=example.com\npath=foo.git\n" + lines.joined(separator: "\n"))
        let read = try parse(written)
        #expect(read.scheme == "https" && read.host == "example.com" && read.path == "foo.git" && read.user == "bob")
        #expect(read.password?.text == "secr3t" && read.expires == 1_900_000_000 && !read.quits)
    }

    @Test("Keys of newer versions are passed over, and an empty line ends the message") func otherKeys() throws {
        let read = try parse(
            """
            capability[]=authtype
            capability[]=state
            wwwauth[]=Basic realm="x"
            wwwauth[]=Negotiate
            username=a=b
            password=
            quit=true

            host=evil.example
            """
        )
        #expect(read.user == "a=b" && read.password?.count == 0 && read.quits && read.host.isEmpty)
        #expect(try parse("").user == nil)
        #expect(try parse("username=last").user == "last")
    }

    @Test("A line that is passed over may hold any bytes; the text of a known key is UTF-8") func anyBytes() throws {
        // `realm="Zürich"` in Latin-1, a carriage return, a zero, and a key that is not UTF-8.
        let passed: [[UInt8]] = [
            Array("wwwauth[]=Basic realm=\"Z".utf8) + [0xFC] + Array("rich\"".utf8), Array("state[]=x\r".utf8),
            Array("x=a\0b".utf8), [0xFC, 0x3D, 0xFF],
        ]
        for line in passed {
            let read = try parse(Array("host=a\n".utf8) + line + Array("\nusername=b\n".utf8))
            #expect(read.host == "a" && read.user == "b")
        }
        for key in ["protocol", "host", "path", "username", "password", "oauth_refresh_token"] {
            #expect(throws: GitCredentialError(place: "helper", problem: .notUTF8(line: 1)), "\(key)") {
                try parse(Array("\(key)=".utf8) + [0xFC])
            }
        }
    }

    @Test("A refresh token and a time are read and written; Git takes 0 for no time") func refreshToken() throws {
        let text = [
            "protocol=https", "host=a", "username=", "password=hunter2", "oauth_refresh_token=hunter3",
            "password_expiry_utc=1900000000", "", "",
        ].joined(separator: "\n")
        let read = try parse(text)
        #expect(read.user?.isEmpty == true && read.expires == 1_900_000_000)
        #expect(read.password?.text == "hunter2" && read.refreshToken?.text == "hunter3")
        #expect(try self.text(read) == text)
        #expect(try parse("password_expiry_utc=0").expires == nil)
        var dumped = ""
        dump(read, to: &dumped)
        #expect(!"\(read) \(dumped)".contains("hunter"))
    }

    @Test("A value that would end its line is not sent (CVE-2020-5260)", arguments: ["\n", "\r", "\0", "\r\n"])
    func lineBreaks(end: String) throws {
        let value = "a\(end)host=evil.example"
        func problem(_ change: (inout GitCredentialMessage) -> Void) -> GitCredentialError.Problem? {
            var message = GitCredentialMessage(scheme: "https", host: "example.com")
            change(&message)
            do throws(GitCredentialError) {
                _ = try message.encoded(for: "helper")
                return nil
            } catch {
                return error.problem
            }
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0.scheme = value } == .lineBreak(.scheme))
        #expect(problem { $0.host = value } == .lineBreak(.host))
        #expect(problem { $0.path = value } == .lineBreak(.path))
        #expect(problem { $0.user = value } == .lineBreak(.user))
        #expect(problem { $0.password = SharedSecret(utf8: value) } == .lineBreak(.password))
        #expect(problem { $0.refreshToken = SharedSecret(utf8: value) } == .lineBreak(.refreshToken))
    }

    @Test(
        "A malformed line is refused, with its number",
        arguments: [
            ("username=a\r\n", .controlCharacter(line: 1)), ("a=b\npassword=Secret1\0x", .controlCharacter(line: 2)),
            ("username=a\nSecret1\n", .malformedLine(2)), ("username=a\nusername=b", .repeatedKey(line: 2)),
            ("password_expiry_utc=soon", .malformedTime(line: 1)),
            ("password_expiry_utc=99999999999999999999", .malformedTime(line: 1)),
        ] as [(String, GitCredentialError.Problem)]
    )
    func malformed(text: String, problem: GitCredentialError.Problem) {
        let expected = GitCredentialError(place: "helper", problem: problem)
        #expect(throws: expected) { try parse(text) }
        #expect(!expected.description.contains("Secret1"))
    }

    @Test("Bytes that are not UTF-8, and a message that is too long, are refused") func bounds() throws {
        #expect(throws: GitCredentialError(place: "helper", problem: .notUTF8(line: 1))) {
            try parse([UInt8]("password=".utf8) + [0xE9])
        }
        let start = "password="
        let longest = start + String(repeating: "x", count: GitCredentialLimits.messageBytes - start.utf8.count)
        #expect(try parse(longest).password?.count == GitCredentialLimits.messageBytes - start.utf8.count)
        #expect(throws: GitCredentialError(place: "helper", problem: .tooLong)) { try parse(longest + "x") }
        var message = GitCredentialMessage(scheme: "https", host: "a.example")
        message.password = SharedSecret(utf8: longest)
        #expect(throws: GitCredentialError(place: "helper", problem: .tooLong)) {
            _ = try message.encoded(for: "helper")
        }
    }

    @Test(
        "A question and its request are each other's inverse",
        arguments: [
            "https://a.example", "http://a.example:8080", "https://[::1]:8443", "http://192.0.2.1", "https://[::1]",
        ]
    )
    func questions(origin: String) throws {
        let question = CredentialQuestion(origin: try Origin(parsing: origin), path: "/a/b?c", user: "jdoe")
        #expect(GitCredentialMessage(asking: question, sendsPath: true).question == question)
        let message = GitCredentialMessage(asking: question)
        #expect(message.path == nil && message.question?.path == nil && message.question?.origin == question.origin)
        #expect("\(message.scheme)://\(message.host)" == origin)
    }

    @Test("A request of another protocol, or for a host that cannot be read, is no question") func noQuestion() {
        for (scheme, host) in [
            ("ssh", "a.example"), ("https", ""), ("https", "a b"), ("", "a.example"), ("HTTPS", "a"),
        ] {
            #expect(GitCredentialMessage(scheme: scheme, host: host).question == nil, "\(scheme) \(host)")
        }
    }

    @Test("No description shows the password") func descriptions() {
        var message = GitCredentialMessage(scheme: "https", host: "a.example")
        message.password = SharedSecret(utf8: "Secret1")
        var dumped = ""
        dump(message, to: &dumped)
        #expect(!"\(message) \(String(reflecting: message)) \(dumped)".contains("Secret1"))
    }
}
