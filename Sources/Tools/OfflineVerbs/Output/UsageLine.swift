internal import ArgumentParser

/// A usage error in one line, as every other error has.
package enum UsageLine {
    /// Makes the line from the parser's messages: first the problem, then the help command.
    ///
    /// - Parameters:
    ///   - message: what is wrong.
    ///   - fullMessage: the same, followed by the usage.
    ///   - defaults: which files gave some of the arguments, because the problem may be one of theirs.
    package static func text(_ message: String, fullMessage: String, defaults: String? = nil) -> String {
        let help = fullMessage.split(separator: "'").last { $0.hasSuffix("--help") } ?? "sallyport --help"
        var problem = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        // The help command follows in the same sentence.
        if problem.hasSuffix(".") { problem.removeLast() }
        return
            "sallyport: \(isSecretNear(help) ? withoutArguments(problem) : problem); see \(help)\(defaults.map { "; \($0)" } ?? "")\n"
    }

    /// Whether the verb handles secrets, so that an unexpected argument may be one.
    private static func isSecretNear(_ help: Substring) -> Bool {
        // The program's name, then the verb.
        guard let verb = help.split(separator: " ").dropFirst().first else { return false }
        return ["ntlm", "credentials", "get", "explain", "login", "logout", "token"].contains(verb)
    }

    private static func withoutArguments(_ problem: String) -> String {
        guard problem.lowercased().contains("unexpected argument") else { return problem }
        return "unexpected argument, not shown because it may be a secret: write secrets to standard input"
    }
}
