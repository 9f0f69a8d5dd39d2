internal import ArgumentParser
internal import NTLM

/// `sallyport ntlm decode`: a message of NTLM, field by field.
struct NTLMDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Shows a NEGOTIATE, CHALLENGE or AUTHENTICATE field by field.",
        discussion: """
            Takes the base64 of one message, as it stands behind NTLM or Negotiate in a header field, and prints one JSON \
            object with the names of MS-NLMP 2.2.
            """
    )

    @Argument(help: "The message in base64; the scheme before it may stay.")
    var token: [String]

    func run() throws {
        do {
            let token = try NTLMToken(parsing: token.joined(separator: " "))
            let json = try NTLMMessageJSON.object(token.bytes.span)
            try StandardOutput.write(json.text + "\n")
        } catch let error as NTLMTokenError {
            throw NTLMCommand.end("decode", "\(error)", with: CommandExit.couldNotRun)
        } catch let error as MessageError {
            throw NTLMCommand.end("decode", "\(error)", with: CommandExit.couldNotRun)
        }
    }
}
