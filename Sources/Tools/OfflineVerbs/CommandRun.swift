package import ArgumentParser
internal import Foundation
internal import WireFormat

/// The arguments of a command line, with those that files give.
package struct CompletedArguments {
    /// All arguments, the verb first.
    package var arguments: [String]
    /// Where the arguments of files come from, for a usage error; `nil` if there are none.
    package var origin: String?
    /// What is said before the command runs.
    package var announcement: String?

    package init(arguments: [String], origin: String? = nil, announcement: String? = nil) {
        (self.arguments, self.origin, self.announcement) = (arguments, origin, announcement)
    }
}

/// Runs a program's command line.
package enum CommandRun {
    /// Parses the arguments, runs the command and ends the process. Exit codes are those of ``CommandExit``, because ArgumentParser
    /// would end a usage error with 64.
    ///
    /// - Parameters:
    ///   - root: the program's command.
    ///   - elsewhere: verbs that `sallyport` alone has.
    ///   - completing: adds the arguments of files.
    package static func main(
        _ root: (some ParsableCommand).Type,
        elsewhere: [[String]] = [],
        completing: ([String]) throws -> CompletedArguments = { CompletedArguments(arguments: $0) }
    ) {
        ClosedDescriptors.reserve()
        var origin: String?
        // What the parser gets, until it has read it.
        var unread: [String]?
        do {
            let arguments = ArgumentPath.arguments
            try checkText(arguments)
            if let problem = VerbCheck.problem(arguments, of: root, elsewhere: elsewhere) {
                StandardError.write("sallyport: \(problem)\n")
                throw CommandExit.couldNotRun
            }
            let completed = try completing(arguments)
            origin = completed.origin
            unread = completed.arguments
            var command = try root.parseAsRoot(completed.arguments)
            unread = nil
            if let announcement = completed.announcement { StandardError.write(announcement) }
            if let reader = command as? any ReadsPublicSuffixes { try reader.publicSuffixes.use() }
            try command.run()
            StandardError.endQuestion()
        } catch let code as ExitCode {
            StandardError.endQuestion()
            Foundation.exit(code.rawValue)
        } catch {
            // Help and version arrive as errors, too.
            let isAnswer = root.exitCode(for: error) == .success
            let text = root.fullMessage(for: error)
            guard isAnswer else {
                let problem = unread.flatMap { OptionCheck.problem($0, of: root) } ?? root.message(for: error)
                StandardError.write(UsageLine.text(problem, fullMessage: text, defaults: origin))
                Foundation.exit(CommandExit.couldNotRun.rawValue)
            }
            let isWritten = (try? StandardOutput.write(text.hasSuffix("\n") ? text : text + "\n")) != nil
            Foundation.exit(isWritten ? 0 : CommandExit.couldNotRun.rawValue)
        }
    }

    /// Refuses arguments of `ntlm` that are not UTF-8. They are names and domains, and repairing the bytes would name
    /// another account.
    private static func checkText(_ arguments: [String]) throws {
        guard arguments.first == NTLMCommand.configuration.commandName,
            let place = arguments.firstIndex(where: { !SystemPath.isUTF8($0) })
        else { return }
        // The argument is not shown, because it may be a secret.
        StandardError.write("sallyport ntlm: argument \(place + 1) is not UTF-8: write it in UTF-8\n")
        throw CommandExit.couldNotRun
    }
}
