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

    @Test("An unknown option is one line on standard error") func unknownOption() throws {
        let run = try SallyportRun(["--versio"])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error == "sallyport: Unknown option '--versio'; see sallyport --help\n")
    }
}
