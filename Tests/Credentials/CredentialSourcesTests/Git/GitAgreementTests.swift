import CredentialSources
import Foundation
import Hostnames
import Secrets
import TestLimits
import TestSupport
import Testing

/// Git itself, in both directions. Its configuration comes by variables, which each test sets in a process of its own.
@Suite(.inTurn, .enabled(if: GitProgram.isUsable, "git is missing: apt-get install git"))
struct GitAgreementTests {
    @Test("What Git's own store keeps is found, and what is rejected is gone") func store() async {
        await #expect(processExitsWith: .success) {
            try await SourceSamples.inFolder { folder in
                let file = folder.appending(path: "kept").path
                try GitProgram.configure("[credential]\n\thelper = store --file='\(file)'\n", in: folder)
                let source = GitCredentialHelper()
                #expect(try await source.reply(to: SourceSamples.question()).texts == ["nothing"])
                let found = SuppliedCredential(login: #"ACME\jdoe"#, password: SharedSecret(utf8: "p@ss:w/örd"))
                try await source.approve(found, for: SourceSamples.question("https://wiki.example:8443"))
                let asked = try SourceSamples.question("https://wiki.example:8443")
                #expect(try await source.reply(to: asked).texts == [#"ACME\jdoe"#, "p@ss:w/örd"])
                #expect(try await source.reply(to: SourceSamples.question()).texts == ["nothing"])
                #expect(
                    try await source.reply(to: SourceSamples.question("http://wiki.example:8443")).texts == ["nothing"]
                )
                var again = asked
                again.wasRefused = true
                #expect(try await source.reply(to: again).texts == ["nothing"])
                #expect(try String(contentsOfFile: file, encoding: .utf8).isEmpty)
            }
        }
    }

    @Test("Git asks in a window only if that is allowed; a helper that quits cancels") func windows() async {
        await #expect(processExitsWith: .success) {
            try await SourceSamples.inFolder { folder in
                let window = try SourceSamples.write("#!/bin/sh\necho typed\n", "window", in: folder, mode: 0o700)
                try GitProgram.configure("[core]\n\taskPass = \(window)\n", in: folder)
                unsafe setenv("SSH_ASKPASS", window, 1)
                #expect(try await GitCredentialHelper().reply(to: SourceSamples.question()).texts == ["nothing"])
                var options = GitCredentialHelper.Options()
                options.asksInWindows = true
                let asking = GitCredentialHelper(options: options)
                #expect(try await asking.reply(to: SourceSamples.question()).texts == ["typed", "typed"])
                try GitProgram.configure("[credential]\n\thelper = \"!echo quit=1; :\"\n", in: folder)
                #expect(try await GitCredentialHelper().reply(to: SourceSamples.question()).texts == ["cancel"])
                try GitProgram.configure("[credential\n", in: folder)
                await #expect(throws: GitCredentialError(place: "git credential", problem: .failed(status: 128))) {
                    try await GitCredentialHelper().reply(to: SourceSamples.question())
                }
            }
        }
    }

    @Test("This package is a helper of Git: get, store and erase") func helper() async {
        await #expect(processExitsWith: .success) {
            try await SourceSamples.inFolder { folder in
                let log = try SourceSamples.write("", "log", in: folder)
                let program = BuiltProgram.forTests
                let command = #"!'\#(program)' git 'ACME\\jdoe' 'sécret =' '\#(log)'"#
                try GitProgram.configure("[credential]\n\thelper = \"\(command)\"\n", in: folder)
                let request = "protocol=https\nhost=wiki.example:8443\n\n"
                let answer = try SourceSamples.output(["git", "credential", "fill"], input: request)
                #expect(
                    answer == "protocol=https\nhost=wiki.example:8443\n" + #"username=ACME\jdoe"#
                        + "\npassword=sécret =\n"
                )
                for verb in ["approve", "reject"] {
                    _ = try SourceSamples.output(["git", "credential", verb], input: answer)
                }
                let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
                #expect(
                    lines == [
                        "get https://wiki.example:8443 - -", #"store https://wiki.example:8443 ACME\jdoe sécret ="#,
                        #"erase https://wiki.example:8443 ACME\jdoe sécret ="#,
                    ]
                )
                // Our own side asks Git, which asks our helper.
                let reply = try await GitCredentialHelper().reply(to: SourceSamples.question("https://[::1]"))
                #expect(reply.texts == [#"ACME\jdoe"#, "sécret ="])
            }
        }
    }

    @Test("A helper says nothing to an unknown operation and a foreign protocol") func foreign() throws {
        let program = BuiltProgram.forTests
        for (operation, request) in [
            ("forget", "protocol=https\nhost=a\n"), ("get", "protocol=smtp\nhost=a.example\n"),
        ] {
            let arguments = [program, "git", "u", "p", "/dev/null", operation]
            #expect(try SourceSamples.output(arguments, input: request).isEmpty)
        }
    }
}

/// Git.
enum GitProgram {
    static let isUsable = (try? SourceSamples.output(["git", "--version"])) != nil

    /// Makes `text` the only configuration of Git in this process and its children.
    static func configure(_ text: String, in folder: URL) throws {
        let path = try SourceSamples.write(text, "gitconfig", in: folder)
        for (name, value) in [
            ("GIT_CONFIG_GLOBAL", path), ("GIT_CONFIG_NOSYSTEM", "1"), ("HOME", folder.path), ("GIT_DIR", folder.path),
        ] {
            unsafe setenv(name, value, 1)
        }
        for name in ["GIT_ASKPASS", "SSH_ASKPASS"] { unsafe unsetenv(name) }
    }
}
