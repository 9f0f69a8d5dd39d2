internal import ArgumentParser

/// `sallyport ntlm`: NT hashes, answers and messages of NTLM.
struct NTLMCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ntlm",
        abstract: "Hashes passwords, answers challenges and shows messages of NTLM.",
        subcommands: [NTLMHashCommand.self, NTLMRespondCommand.self, NTLMDecodeCommand.self]
    )

    /// Writes the error line of a command, and returns its exit status.
    static func end(_ verb: String, _ problem: String, with status: ExitCode) -> ExitCode {
        StandardError.write("sallyport ntlm \(verb): \(problem)\n")
        return status
    }
}
