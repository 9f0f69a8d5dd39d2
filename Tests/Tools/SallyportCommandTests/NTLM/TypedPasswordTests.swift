import LiveServers
import Testing

/// What a person at a terminal sees: a prompt, nothing of what is typed, and a terminal that works afterwards.
@Suite(.inTurn, .enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct TypedPasswordTests {
    @Test func aTypedPasswordIsNotShown() throws {
        let session = try PythonTerminal.session("type:Password", ["ntlm", "hash"])
        #expect(session.hidden && session.restored && session.exit == 0)
        #expect(session.output == "a4f49c406510bdcab6824ee7c30fd852\n")
        #expect(session.shown.hasPrefix("Password: ") && !session.shown.dropFirst(10).contains("Password"))
    }

    @Test(
        "A signal ends the command, and the terminal echoes again",
        arguments: ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]
    )
    func signals(name: String) throws {
        let session = try PythonTerminal.session("signal:\(name)", ["ntlm", "hash"])
        let numbers: [String: Int32] = ["SIGINT": -2, "SIGTERM": -15, "SIGHUP": -1, "SIGQUIT": -3]
        #expect(session.hidden && session.restored)
        #expect(session.exit == numbers[name])
        #expect(session.output.isEmpty)
    }

    @Test func aCommandThatGoesOnAsksAgain() throws {
        let challenge = NTLMExamples.base64(NTLMExamples.challenge)
        let options = ["--user", "User", "--domain", "Domain", "--challenge", challenge]
        let session = try PythonTerminal.session("again:Secret1", ["ntlm", "respond"] + options)
        #expect(session.hidden && session.restored && session.prompts == 2 && session.exit == 0)
        #expect(session.output.contains("nt_proof_str") && !session.shown.contains("Secret1"))
    }
}
