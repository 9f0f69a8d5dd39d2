import CredentialSources
import Credentials
import Foundation
import Hostnames
import Secrets
import TestLimits
import Testing

@Suite(.inTurn) struct FixedCredentialSourceTests {
    private func source(
        _ user: CredentialPlace = .text("jdoe"),
        _ password: CredentialPlace,
        _ party: CredentialQuestion.Party = .server
    ) throws -> FixedCredentialSource {
        let origins: Set = [try Origin(parsing: "https://wiki.example"), try Origin(parsing: "https://b.example:8443")]
        return FixedCredentialSource(user: user, password: password, for: origins, party: party)
    }

    @Test("It answers for its origins and party, and once only") func scope() async throws {
        let source = try source(.text(#"ACME\jdoe"#), .text("p"))
        for origin in ["https://wiki.example", "https://b.example:8443"] {
            #expect(try await source.reply(to: SourceSamples.question(origin)).texts == [#"ACME\jdoe"#, "p"])
        }
        for question in [
            try SourceSamples.question("http://wiki.example"), try SourceSamples.question("https://wiki.example:8443"),
            try SourceSamples.question("https://a.wiki.example"), try SourceSamples.question(party: .proxy),
            try SourceSamples.question(wasRefused: true), try SourceSamples.question(user: "jdoe"),
        ] {
            #expect(try await source.reply(to: question).texts == ["nothing"], "\(question)")
        }
        let known = try SourceSamples.question(user: #"ACME\jdoe"#)
        #expect(try await source.reply(to: known).texts == [#"ACME\jdoe"#, "p"])
        let proxy = try self.source(.text("p"), .text("q"), .proxy)
        #expect(try await proxy.reply(to: SourceSamples.question(party: .proxy)).texts == ["p", "q"])
        #expect(try await proxy.reply(to: SourceSamples.question()).texts == ["nothing"])
    }

    @Test("Files are read for each question, and refused if others may read them") func files() async throws {
        try await SourceSamples.inFolder { folder in
            let user = try SourceSamples.write("jdoe\r\n", "user", in: folder)
            let password = try SourceSamples.write("first\n", "password", in: folder)
            let source = try source(.file(user), .file(password))
            #expect(try await source.reply(to: SourceSamples.question()).texts == ["jdoe", "first"])
            try SourceSamples.write("second", "password", in: folder)
            #expect(try await source.reply(to: SourceSamples.question()).texts == ["jdoe", "second"])
            try SourceSamples.write("third", "password", in: folder, mode: 0o644)
            await #expect(throws: SecretReferenceError.readableByOthers(path: password)) {
                try await source.reply(to: SourceSamples.question())
            }
            for name in ["a\u{7}b", "a\tb"] {
                try SourceSamples.write(name, "user", in: folder)
                await #expect(throws: CredentialPlaceError(place: user, problem: .notAUserName)) {
                    try await source.reply(to: SourceSamples.question())
                }
            }
        }
    }

    @Test("Environment variables and systemd's credentials") func places() async {
        await #expect(processExitsWith: .success) {
            try await SourceSamples.inFolder { folder in
                let tests = FixedCredentialSourceTests()
                let question = try SourceSamples.question()
                func problem(_ name: String) async throws -> CredentialPlaceError.Problem? {
                    do {
                        let source = try tests.source(.text("u"), .systemdCredential(name: name))
                        _ = try await source.reply(to: question)
                        return nil
                    } catch let error as CredentialPlaceError {
                        #expect(error.description.contains(name))
                        return error.problem
                    }
                }
                unsafe setenv("SALLYPORT_TEST_USER", "jdoe", 1)
                unsafe setenv("SALLYPORT_TEST_PASSWORD", "p", 1)
                let variables = try tests.source(
                    .environment("SALLYPORT_TEST_USER"),
                    .environment("SALLYPORT_TEST_PASSWORD")
                )
                #expect(try await variables.reply(to: question).texts == ["jdoe", "p"])

                unsafe unsetenv("CREDENTIALS_DIRECTORY")
                #expect(try await problem("wiki") == .noFolder)
                unsafe setenv("CREDENTIALS_DIRECTORY", folder.path, 1)
                #expect(try await problem("wiki") == .missing)
                #expect(try await problem("../wiki") == .malformedName)
                // systemd's own modes: 0400, and 0440 where an access list names the user.
                for mode in [0o400, 0o440] {
                    try SourceSamples.write("Secret1\n", "wiki", in: folder, mode: mode)
                    let source = try tests.source(.text("u"), .systemdCredential(name: "wiki"))
                    #expect(try await source.reply(to: question).texts == ["u", "Secret1"])
                    try FileManager.default.removeItem(at: folder.appending(path: "wiki"))
                }
                let path = try SourceSamples.write("Secret1\n", "wiki", in: folder, mode: 0o444)
                #expect(try await problem("wiki") == .othersMayUse(mode: 0o444))
                let file = URL(filePath: path)
                for (text, expected) in [
                    ("a\nb", SecretReferenceError.moreThanOneLine(path: path)), ("\n", .empty(.file(path: path))),
                    (String(repeating: "x", count: SecretReference.maximumBytes + 1), .tooLong(path: path)),
                ] {
                    try FileManager.default.removeItem(at: file)
                    try SourceSamples.write(text, "wiki", in: folder)
                    await #expect(throws: expected) { try await problem("wiki") }
                }
            }
        }
    }

    @Test("No description of a place shows its value") func descriptions() throws {
        for place in [
            CredentialPlace.text("Secret1"), .environment("PATH"), .file("/etc/x"), .systemdCredential(name: "n"),
        ] {
            var dumped = ""
            dump(place, to: &dumped)
            #expect(!"\(place) \(String(reflecting: place)) \(dumped)".contains("Secret1"))
        }
    }
}
