internal import ArgumentParser

/// What is wrong with the arguments, in one line like every other error.
enum UsageLine {
    /// Makes the line from the parser's words: the first line says what is wrong, the last one where to read on.
    ///
    /// - Parameters:
    ///   - message: what is wrong.
    ///   - fullMessage: the same with the usage behind it.
    static func text(_ message: String, fullMessage: String) -> String {
        let help = fullMessage.split(separator: "'").last { $0.hasSuffix("--help") } ?? "sallyport --help"
        var problem = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // The sentence goes on.
        if problem.hasSuffix(".") { problem.removeLast() }
        return "sallyport: \(isSecretNear(help) ? withoutArguments(problem) : problem); see \(help)\n"
    }

    /// Whether a secret may have been typed where no argument is due.
    private static func isSecretNear(_ help: Substring) -> Bool { help.hasPrefix("sallyport ntlm") }

    private static func withoutArguments(_ problem: String) -> String {
        guard problem.lowercased().contains("unexpected argument") else { return problem }
        return "an argument too many, not shown here: secrets come on standard input, since others can read arguments"
    }
}
