import CredentialSources
import Foundation
import LiveServers
import TestSupport
import Testing

/// What a person at a terminal sees: questions, nothing of a password, and a terminal that works afterwards.
@Suite(.inTurn, .enabled(if: PromptTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct TerminalPromptTests {
    @Test("A user name is shown, a password is not, and the terminal works afterwards") func answers() throws {
        let steps = ["shown:User name: ", "type:ACME\\jdöe", "shown:: ", "hidden", "type:Sécret1 "]
        let session = try PromptTerminal.session(steps, ["--realm", "Staff"])
        #expect(session.output == "ACME\\jdöe Sécret1 \n" && session.exit == 0 && session.restored)
        let expected = """
            https://wiki.example asks for a password for "Staff".
            User name: ACME\\jdöe
            Password of "ACME\\\\jd\\u{00F6}e":\u{20}

            """
        #expect(session.shown == expected)
    }

    @Test("A known user is not asked for, and a proxy is named") func known() throws {
        let steps = ["shown:Password of jdoe: ", "type:p"]
        let session = try PromptTerminal.session(steps, ["--user", "jdoe", "--proxy"])
        #expect(session.output == "jdoe p\n" && session.restored)
        let expected = """
            The proxy https://wiki.example asks for a password.
            Password of jdoe:\u{20}

            """
        #expect(session.shown == expected)
    }

    @Test("After a refusal the name can be corrected; Enter keeps it", arguments: [("", "jode"), ("jdoe", "jdoe")])
    func refused(typed: String, user: String) throws {
        let steps = ["shown:User name [jode]: ", "type:\(typed)", "shown:Password of \(user): ", "type:p"]
        let session = try PromptTerminal.session(steps, ["--user", "jode", "--refused"])
        #expect(session.output == "\(user) p\n" && session.restored)
        #expect(session.shown.hasPrefix("The last password was refused.\nhttps://wiki.example asks for a password.\n"))
    }

    @Test("An account without the domain that is due: the question says what to write") func domain() throws {
        let steps = ["shown:User name [jdoe]: ", "type:ACME\\jdoe", "shown:Password of ACME\\jdoe: ", "type:p"]
        let session = try PromptTerminal.session(steps, ["--user", "jdoe", "--refused", "--domain", "ACME"])
        #expect(session.output == "ACME\\jdoe p\n" && session.restored)
        let reason = "The account needs a domain: write ACME\\jdoe, or \\jdoe if it has none.\n"
        #expect(session.shown.hasPrefix(reason + "https://wiki.example asks for a password.\n"), "\(session.shown)")
    }

    @Test("A server's text cannot steer the terminal") func hostileRealm() throws {
        let arguments = ["--user", "a\u{1B}[2J", "--realm", "x\u{1B}]0;y\u{7}\nPassword: \u{202E}"]
        let session = try PromptTerminal.session(["shown:Password of", "type:p"], arguments)
        #expect(session.shown.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A })
        #expect(session.shown.split(separator: "\n").count == 2)
    }

    @Test("Corrections on the line are made") func editing() throws {
        let steps = ["shown:User name: ", "bytes:617f620a", "shown:of b: ", "bytes:787815790a"]
        let session = try PromptTerminal.session(steps)
        #expect(session.output == "b y\n")
    }

    @Test(
        "A signal ends the program, and the terminal is restored before",
        arguments: ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"],
        ["", "jdoe"]
    )
    func signals(name: String, user: String) throws {
        let numbers: [String: Int32] = ["SIGINT": -2, "SIGTERM": -15, "SIGHUP": -1, "SIGQUIT": -3]
        let known = user.isEmpty ? [] : ["--user", user]
        let session = try PromptTerminal.session(["shown:: ", "signal:\(name)"], known)
        #expect(session.exit == numbers[name] && session.restored && session.output.isEmpty)
    }

    @Test("Ctrl-C ends the program; one that survives it gets a cancellation") func interrupts() throws {
        let session = try PromptTerminal.session(["shown:Password of", "bytes:7803"], ["--user", "jdoe"])
        #expect(session.exit == -2 && session.restored)
        let survivor = try PromptTerminal.session(
            ["shown:Password of", "bytes:7803"],
            ["--user", "jdoe", "--survive"]
        )
        #expect(survivor.exit == 0 && survivor.output == "cancel\n" && survivor.restored)
    }

    @Test("A stopped program leaves a terminal that echoes, and asks again when it continues") func stops() throws {
        let steps = ["shown:Password of jdoe: ", "stop", "continue", "shown:Password of jdoe: ", "hidden", "type:p"]
        let session = try PromptTerminal.session(steps, ["--user", "jdoe"])
        #expect(session.output == "jdoe p\n" && session.restored && session.exit == 0)
    }

    @Test("A program that survives SIGHUP shows the question again, on a line of its own") func hangUp() throws {
        let steps = ["shown:Password of jdoe: ", "signal:SIGHUP", "shown:Password of jdoe: ", "hidden", "type:p"]
        let session = try PromptTerminal.session(steps, ["--user", "jdoe", "--survive"])
        #expect(session.output == "jdoe p\n" && session.restored && session.exit == 0)
        #expect(session.shown.hasSuffix("Password of jdoe: \nPassword of jdoe: \n"), "\(session.shown)")
    }

    @Test(
        "A name with two backslashes is asked for again, and the line says what was typed and how it is written",
        arguments: [
            (#"ACME\\bob"#, #"ACME\\bob has more than one '\': write ACME\bob"#),
            (#"\\ACME\bob"#, #"\\ACME\bob has more than one '\': write ACME\bob"#),
            (#"A\B\bob"#, #"A\B\bob has more than one '\': write DOMAIN\USER"#),
            (#"ACME\\b ob"#, #""ACME\\\\b ob" has more than one '\': write DOMAIN\USER"#),
        ]
    )
    func backslashes(typed: String, line: String) throws {
        let steps = [
            "shown:User name: ", "type:\(typed)", "shown:User name: ", "type:ACME\\bob", "shown:Password of ", "type:p",
        ]
        let session = try PromptTerminal.session(steps)
        #expect(session.output == "ACME\\bob p\n" && session.restored)
        #expect(session.shown.contains("\n\(line)\nUser name: "), "\(session.shown)")
    }

    @Test("An empty answer goes on without, and the end of the input cancels") func empty() throws {
        for (steps, expected) in [
            (["shown:User name: ", "type:"], "goOnWithout\n"), (["shown:User name: ", "bytes:04"], "cancel\n"),
            (["shown:User name: ", "type:a", "shown:of a: ", "type:"], "goOnWithout\n"),
            (["shown:User name: ", "type:a", "shown:of a: ", "bytes:04"], "cancel\n"),
        ] {
            let session = try PromptTerminal.session(steps)
            #expect(session.output == expected && session.restored && session.exit == 0, "\(steps)")
        }
    }

    @Test("An answer that is too long or is not UTF-8 is refused") func bounds() throws {
        let longest = String(repeating: "x", count: TerminalPrompt.answerBytes)
        for (steps, output) in [
            (["shown:of jdoe: ", "type:\(longest)"], "jdoe \(longest)\n"),
            (["shown:of jdoe: ", "type:\(longest)x"], "error: \(TerminalError.tooLong)\n"),
            (
                ["shown:of jdoe: ", "type:\(longest)\(longest)\(longest)\(longest)\(longest)"],
                "error: \(TerminalError.tooLong)\n"
            ),
            (["shown:of jdoe: ", "bytes:e90a"], "error: \(TerminalError.notUTF8)\n"),
            (["shown:of jdoe: ", "bytes:c0800a"], "error: \(TerminalError.notUTF8)\n"),
        ] {
            let session = try PromptTerminal.session(steps, ["--user", "jdoe"])
            #expect(session.output == output && session.restored, "\(session.output.prefix(80))")
        }
        let session = try PromptTerminal.session(["shown:User name: ", "bytes:61010a"])
        #expect(session.output == "error: \(TerminalError.controlCharacter)\n" && session.restored)
    }

    @Test("The terminal is restored after the time limit, a cancellation and exit") func ends() throws {
        // What ends at SIGUSR1 has asked before.
        let signal = ["shown:: ", "signal:SIGUSR1"]
        let (late, unwanted) = ("no answer came within 1 s", "no request waits for it any more")
        for (options, steps, output, status, reason) in [
            (["--limit", "1"], ["shown:: "], "error: \(TerminalError.timedOut)\n", 1, late),
            (["--cancel"], signal, "error: CancellationError()\n", 1, unwanted), (["--exit"], signal, "", 7, nil),
        ] as [([String], [String], String, Int32, String?)] {
            for arguments in [options, options + ["--user", "jdoe"]] {
                let session = try PromptTerminal.session(steps, arguments)
                #expect(session.output == output && session.exit == status && session.restored, "\(arguments)")
                // The line stands below the question, and not behind it.
                let end = reason.map { ": \nThe question is withdrawn: \($0).\n" } ?? ": "
                #expect(session.shown.hasSuffix(end), "\(session.shown)")
                #expect(session.shown.contains("withdrawn") == (reason != nil))
            }
        }
    }

    @Test("One question is visible at a time, and one that waits can be cancelled") func turns() throws {
        let steps = ["shown:of jdoe: ", "type:one", "shown:of jdoe: ", "type:two"]
        let session = try PromptTerminal.session(steps, ["--user", "jdoe", "--twice"])
        #expect(session.output.split(separator: "\n").sorted() == ["jdoe one", "jdoe two"])
        #expect(session.shown.components(separatedBy: "Password of jdoe: \n").count == 3, "\(session.shown)")
        let cancelled = try PromptTerminal.session(
            ["shown:: ", "signal:SIGUSR1"],
            ["--user", "jdoe", "--twice", "--cancel"]
        )
        #expect(cancelled.output == "error: CancellationError()\n" && cancelled.restored)
        #expect(cancelled.shown.components(separatedBy: "Password of").count == 2)
    }

    @Test("Without a terminal there is nothing; in the background it is an error") func noTerminal() throws {
        let output = try SourceSamples.output(["setsid", "-w", BuiltProgram.forTests, "prompt"])
        #expect(output == "nothing\n")
        let session = try PromptTerminal.session(["background"])
        #expect(session.output == "error: \(TerminalError.inBackground)\n" && session.restored && session.exit == 1)
    }
}
