import Foundation
import LiveServers
import Testing

/// What the command does without a verb.
@Suite(.inTurn) struct RootCommandTests {
    @Test("--version prints three numbers, then the date of the public suffix list, and nothing else") func version()
        throws
    {
        let run = try SallyportRun(["--version"])
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(
            run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\npublic suffix list of 20[0-9]{2}-[0-9]{2}-[0-9]{2}\n/)
                != nil,
            "\(run.output)"
        )
    }

    @Test("--help names every verb") func help() throws {
        let run = try SallyportRun(["--help"])
        #expect(run.status == 0 && run.error.isEmpty)
        for verb in ["replay", "ntlm", "sites", "pins", "record", "study", "credentials"] {
            #expect(run.output.contains("\n  \(verb) "), "\(verb)")
        }
    }

    @Test(
        "A misspelt verb is refused with the near one",
        arguments: [
            (["gett", "https://a.example/"], "unknown verb 'gett': use get; see sallyport --help"),
            (["Explian"], "unknown verb 'Explian': use explain; see sallyport --help"),
            (["help", "gett"], "unknown verb 'gett': use get; see sallyport --help"),
            (["gett", "--help"], "unknown verb 'gett': use get; see sallyport --help"),
            (["sites", "mtch", "a"], "unknown verb 'mtch': use match; see sallyport sites --help"),
            (["credentials", "ad"], "unknown verb 'ad': use add; see sallyport credentials --help"),
            (["pins", "audi", "x"], "unknown verb 'audi': use audit; see sallyport pins --help"),
            (["study", "imprt", "zgrab2"], "unknown verb 'imprt': use import; see sallyport study --help"),
            (["https://a.example/"], "a URL is not a verb: write sallyport get before it; see sallyport --help"),
        ]
    )
    func misspelt(arguments: [String], expected: String) throws {
        let run = try SallyportRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty && run.error == "sallyport: \(expected)\n", "\(run.error)")
    }

    @Test(
        "A word that is near no verb may be a secret",
        arguments: [["SECRET"], ["credentials", "SECRET"], ["ntlm", "SECRET", "x"], ["https://u:SECRET@a.example/"]]
    )
    func secretWord(arguments: [String]) throws {
        let run = try SallyportRun(arguments.map { $0.replacing("SECRET", with: "hunter2") })
        #expect(run.status == 2 && run.output.isEmpty && !run.error.contains("hunter2"))
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test("help shows the help of a verb") func helpVerb() throws {
        for arguments in [["help", "get"], ["help", "pins", "audit"]] {
            let run = try SallyportRun(arguments)
            #expect(
                run.status == 0
                    && run.output.contains("USAGE: sallyport \(arguments.dropFirst().joined(separator: " "))")
            )
        }
    }

    @Test("An unknown option is one line on standard error") func unknownOption() throws {
        let run = try SallyportRun(["--versio"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error == "sallyport: Unknown option '--versio'; see sallyport --help\n")
    }

    @Test(
        "An option that a verb does not have is named before what is missing without it",
        arguments: [
            (["relay", "--parnet", "proxy:8080"], "Unknown option '--parnet'. Did you mean '--parent'?", "relay"),
            (["relay", "--parents=x:1"], "Unknown option '--parents'. Did you mean '--parent'?", "relay"),
            (["relay", "--listen", "127.0.0.1:0", "foo"], "Unexpected argument 'foo'", "relay"),
            (["relay", "foo", "--parnet", "x:1"], "Unexpected argument 'foo'", "relay"),
            (["relay", "--xyzzyxyzzy", "x:1"], "Unknown option '--xyzzyxyzzy'", "relay"),
            (["get", "--haeder", "A: b"], "Unknown option '--haeder'. Did you mean '--header'?", "get"),
            (
                ["pins", "convert", "--fron", "json", "x"], "Unknown option '--fron'. Did you mean '--from'?",
                "pins convert"
            ),
            (["get", "--versoin", "x"], "Unknown option '--versoin'. Did you mean '--version'?", "get"),
            (["study", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?", "study run"),
        ]
    )
    func unknownBeforeMissing(arguments: [String], problem: String, verb: String) throws {
        let run = try SallyportRun(arguments)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error == "sallyport: \(problem); see sallyport \(verb) --help\n")
    }

    @Test(
        "What a verb takes is not named as unknown",
        arguments: [
            (["relay", "--listen", "--"], "Missing value for '--listen <address:port>'"),
            (["relay", "--listen", "127.0.0.1:0"], "Nothing says where requests go"),
            (["relay", "--version", "--listen"], "Missing value for '--listen <address:port>'"),
            (["relay", "-v", "--listen=127.0.0.1:0"], "Nothing says where requests go"),
        ]
    )
    func known(arguments: [String], problem: String) throws {
        let run = try SallyportRun(arguments)
        #expect(run.status == 2 && run.error.contains(problem), "\(run.error)")
    }
}
