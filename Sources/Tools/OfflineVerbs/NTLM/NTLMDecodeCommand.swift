internal import ArgumentParser
internal import NTLM

/// `sallyport ntlm decode`: prints a message of NTLM field by field.
struct NTLMDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Shows a NEGOTIATE, CHALLENGE or AUTHENTICATE field by field.",
        discussion: """
            Takes the base64 of one message, which follows NTLM or Negotiate in a header field, as an argument or on standard \
            input. Prints one JSON object with the names of MS-NLMP 2.2.
            """
    )

    @Argument(help: "The message in base64, with or without its scheme; without an argument, standard input.")
    var token: [String] = []

    func run() throws {
        do {
            let text = token.isEmpty || token == ["-"] ? try NTLMText.readText() : token.joined(separator: " ")
            let token = try NTLMText(parsing: text)
            let json = try NTLMMessageJSON.object(token.bytes.span)
            try StandardOutput.write(json.text + "\n")
        } catch let error as NTLMTextError {
            throw NTLMCommand.end("decode", "\(error)", with: CommandExit.couldNotRun)
        } catch MessageError.wrongMessageType(_, let found) {
            let problem =
                "NTLM message type \(found) at offset 8: expected 1 (NEGOTIATE), 2 (CHALLENGE) or 3 (AUTHENTICATE)"
            throw NTLMCommand.end("decode", problem, with: CommandExit.couldNotRun)
        } catch let error as MessageError {
            throw NTLMCommand.end("decode", "\(error)", with: CommandExit.couldNotRun)
        } catch let error as InputError {
            throw NTLMCommand.end("decode", "\(error)", with: CommandExit.couldNotRun)
        }
    }
}
