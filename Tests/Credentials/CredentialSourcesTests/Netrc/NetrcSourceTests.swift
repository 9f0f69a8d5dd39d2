import CredentialSources
import Foundation
import TestLimits
import Testing

@Suite(.inTurn) struct NetrcSourceTests {
    @Test("A server gets the entry of its host, and a proxy nothing") func replies() async throws {
        try await SourceSamples.inFolder { folder in
            let path = try SourceSamples.write(
                "machine wiki.example login ACME\\jdoe password Secret1",
                "netrc",
                in: folder
            )
            let source = NetrcSource(path: path)
            #expect(try await source.reply(to: SourceSamples.question()).texts == [#"ACME\jdoe"#, "Secret1"])
            guard case .use(let found) = try await source.reply(to: SourceSamples.question()) else {
                return #expect(Bool(false))
            }
            #expect(found.user == "jdoe" && found.domain == "ACME" && found.keep == .session)
            for question in [
                try SourceSamples.question(party: .proxy), try SourceSamples.question("https://other.example"),
                try SourceSamples.question(user: "other"), try SourceSamples.question(wasRefused: true),
            ] {
                #expect(try await source.reply(to: question).texts == ["nothing"], "\(question)")
            }
            // The file is read for each question.
            try SourceSamples.write("machine wiki.example login a password b", "netrc", in: folder)
            #expect(try await source.reply(to: SourceSamples.question()).texts == ["a", "b"])
        }
    }

    @Test("A file that others may use is refused", arguments: [0o640, 0o604, 0o620, 0o602, 0o611])
    func modes(mode: Int) async throws {
        try await SourceSamples.inFolder { folder in
            let path = try SourceSamples.write(
                "machine wiki.example login a password Secret1",
                "netrc",
                in: folder,
                mode: mode
            )
            let expected = NetrcError(file: path, problem: .othersMayUse(mode: UInt16(mode)))
            await #expect(throws: expected) { try await NetrcSource(path: path).reply(to: SourceSamples.question()) }
            #expect(expected.description.contains("chmod 600"))
        }
    }

    @Test("A file of another user is refused", .enabled(if: geteuid() == 0, "only root can give a file away"))
    func owner() async throws {
        try await SourceSamples.inFolder { folder in
            let path = try SourceSamples.write("machine wiki.example login a password b", "netrc", in: folder)
            #expect(unsafe chown(path, 65534, 65534) == 0)
            await #expect(throws: NetrcError(file: path, problem: .notOwned)) {
                try await NetrcSource(path: path).reply(to: SourceSamples.question())
            }
        }
    }

    @Test("A pipe, as the shell makes for <(…), answers every question") func pipe() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "machine wiki.example login a password b"
        #expect(unsafe write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        let source = NetrcSource(path: "/dev/fd/\(ends[0])")
        for _ in 0..<2 { #expect(try await source.reply(to: SourceSamples.question()).texts == ["a", "b"]) }
    }

    @Test("A path that leads to no file, and a file that is too long, are errors") func files() async throws {
        try await SourceSamples.inFolder { folder in
            let path = folder.appending(path: "netrc").path
            await #expect(throws: NetrcError(file: path, problem: .missing)) {
                try await NetrcSource(path: path).reply(to: SourceSamples.question())
            }
            await #expect(throws: NetrcError.self) {
                try await NetrcSource(path: folder.path).reply(to: SourceSamples.question())
            }
            try SourceSamples.write(String(repeating: "\n", count: NetrcLimits.fileBytes + 1), "netrc", in: folder)
            await #expect(throws: NetrcError(file: path, problem: .fileTooLong)) {
                try await NetrcSource(path: path).reply(to: SourceSamples.question())
            }
        }
    }

    @Test("Without a path, the file of the home folder is read if it exists") func home() async {
        await #expect(processExitsWith: .success) {
            try await SourceSamples.inFolder { folder in
                #expect(unsafe setenv("HOME", folder.path, 1) == 0)
                #expect(try await NetrcSource().reply(to: SourceSamples.question()).texts == ["nothing"])
                try SourceSamples.write("machine wiki.example login a password b", ".netrc", in: folder)
                #expect(try await NetrcSource().reply(to: SourceSamples.question()).texts == ["a", "b"])
                #expect(unsafe unsetenv("HOME") == 0)
                #expect(try await NetrcSource().reply(to: SourceSamples.question()).texts == ["nothing"])
            }
        }
    }
}
