import Foundation
import LiveServers
import Testing

/// `sallyport-offline`: verbs of `sallyport` in a program of their own.
@Suite(.inTurn) struct OfflineProgramTests {
    private static let offline = SallyportRun.executable.deletingLastPathComponent().appending(
        path: "sallyport-offline"
    )

    @Test(
        "It answers as sallyport does",
        arguments: [
            ["sites", "match", "--list", "-", "https://wiki.acme.example/"],
            ["sites", "explain", "--list", "-", "https://wiki.acme.example/"],
            ["ntlm", "decode", "TlRMTVNTUAABAAAABoIIAAAAAAAAAAAAAAAAAAAAAAA="],
            ["negotiate", "decode", "TlRMTVNTUAABAAAABoIIAAAAAAAAAAAAAAAAAAAAAAA="],
            ["pins", "convert", "--from", "json", "-"], ["study", "--resamplings", "-1"],
            ["study", "merge", "missing"], ["replay", "--repeat", "0"],
        ]
    )
    func answers(arguments: [String]) throws {
        let input = Array("*.acme.example\n".utf8)
        let whole = try SallyportRun(arguments, input: input)
        let ours = try SallyportRun(arguments, input: input, program: Self.offline)
        #expect(ours.status == whole.status)
        #expect(ours.output == whole.output)
        #expect(ours.error.replacing("sallyport-offline", with: "sallyport") == whole.error)
    }

    @Test("The recording that ships is replayed without a difference") func replay() throws {
        let run = try SallyportRun(["replay"], program: Self.offline)
        #expect(run.status == 0, "\(run.error)")
        #expect(run.output.contains("no differences"), "\(run.output)")
    }

    /// The subcommands that a program's help shows.
    private static func verbs(of verb: [String], program: URL) throws -> Set<String> {
        let help = try SallyportRun(verb + ["--help"], program: program).output
        let list = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
        return Set(list.matches(of: #/(?m)^  ([a-z-]+) /#).map { String($0.1) })
    }

    @Test("Each verb that sallyport alone has is refused with the way to run it") func otherVerbs() throws {
        var count = 0
        for verb in [[], ["pins"], ["study"]] {
            let here = try Self.verbs(of: verb, program: Self.offline)
            let missing = try Self.verbs(of: verb, program: SallyportRun.executable).subtracting(here)
            #expect(!here.isEmpty && !missing.isEmpty)
            count += missing.count
            for name in missing {
                let path = (verb + [name]).joined(separator: " ")
                let run = try SallyportRun(verb + [name, "https://wiki.acme.example/"], program: Self.offline)
                #expect(run.status == 2 && run.output.isEmpty)
                let help = (["sallyport-offline"] + verb + ["--help"]).joined(separator: " ")
                #expect(
                    run.error
                        == "sallyport: sallyport-offline has no verb '\(path)', but sallyport has: run sallyport \(path), "
                        + "or in the repository swift run sallyport \(path); see \(help)\n"
                )
            }
        }
        #expect(count == 14)
    }

    @Test(
        "A misspelt verb of the other program is named with that program",
        arguments: [
            (["gte", "http://a.example/"], "unknown verb 'gte': use sallyport get; see sallyport-offline --help"),
            (["pins", "audti"], "unknown verb 'audti': use sallyport pins audit; see sallyport-offline pins --help"),
            (["site"], "unknown verb 'site': use sites; see sallyport-offline --help"),
        ]
    )
    func misspelt(arguments: [String], problem: String) throws {
        let run = try SallyportRun(arguments, program: Self.offline)
        #expect(run.status == 2 && run.error == "sallyport: \(problem)\n", "\(run.error)")
    }

    @Test("The help promises no audit, which the program does not have") func noAudit() throws {
        #expect(!(try SallyportRun(["--help"], program: Self.offline)).output.contains("audit"))
        #expect((try SallyportRun(["--help"])).output.contains("audit"))
    }

    @Test("An argument that may be a secret is not shown") func secret() throws {
        let run = try SallyportRun(["ntlm", "hash", "Correct-Horse"], program: Self.offline)
        #expect(run.status == 2 && !run.error.contains("Correct-Horse"), "\(run.error)")
        #expect(run.error.contains("not shown because it may be a secret"), "\(run.error)")
    }
}
