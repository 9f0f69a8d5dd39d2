internal import ArgumentParser
internal import NTLM
internal import Negotiate

/// `sallyport negotiate decode`: prints a token of Negotiate, layer by layer.
struct NegotiateDecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Shows a token of Negotiate: SPNEGO, Kerberos or NTLM, and what is inside.",
        discussion: """
            Takes the base64 of one token, which follows Negotiate in a header field, as an argument or on standard input. Prints a \
            line for each field with the names of RFC 4178 and MS-NLMP, indented by layer.
            """
    )

    @Flag(help: "Print one JSON object.")
    var json = false

    @Argument(help: "The token in base64, with or without its scheme; without an argument, standard input.")
    var token: [String] = []

    func run() throws {
        do {
            let text = token.isEmpty || token == ["-"] ? try NTLMText.readText() : token.joined(separator: " ")
            let token = try NTLMText(parsing: text)
            let value = try NegotiationJSON.object(token.bytes)
            try StandardOutput.write(json ? value.text + "\n" : JSONOutline.lines(of: value))
        } catch let error as NTLMTextError {
            throw Self.end("\(error)")
        } catch let error as NegotiationError {
            throw Self.end("\(error)")
        } catch let error as InputError {
            throw Self.end("\(error)")
        }
    }

    private static func end(_ problem: String) -> ExitCode {
        StandardError.write("sallyport negotiate decode: \(problem)\n")
        return CommandExit.couldNotRun
    }
}
