internal import ArgumentParser

/// Finds an option or argument that a verb does not take.
///
/// The parser converts and checks the values that it knows before it looks at the others. So it would say of a misspelt option that the
/// right one is missing.
enum OptionCheck {
    /// The first option that the verb does not have, or the first argument if it takes none; `nil` if there is neither.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, the verb first.
    ///   - root: the program's command.
    static func problem(_ arguments: [String], of root: any ParsableCommand.Type) -> String? {
        var command = root
        var rest = arguments[...]
        while !command.configuration.subcommands.isEmpty {
            let commands = command.configuration.subcommands
            if let next = commands.first(where: { $0.configuration.commandName == rest.first }) {
                rest.removeFirst()
                command = next
            } else if let next = command.configuration.defaultSubcommand {
                command = next
            } else {
                return nil
            }
        }
        // Another version of the parser may describe a command in another way. Then the parser's own message is shown.
        guard let help = try? CommandHelp(of: command) else { return nil }
        // A verb's own description does not have it.
        return problem(rest, help.arguments, besides: root.configuration.version.isEmpty ? [] : ["--version"])
    }

    private static func problem(
        _ words: ArraySlice<String>,
        _ arguments: [CommandHelp.Argument],
        besides flags: [String]
    ) -> String? {
        let takesWords = arguments.contains(where: \.isWord)
        var isValue = false
        for word in words {
            if isValue {
                isValue = false
                continue
            }
            guard word != "--" else { return nil }
            guard word.hasPrefix("-"), word.count > 1 else {
                if takesWords { continue }
                return "Unexpected argument '\(word)'"
            }
            let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : word
            let known = arguments.first { $0.written.contains(name) }
            if let known {
                isValue = known.takesValue && name == word
                continue
            }
            if flags.contains(word) { continue }
            // Letters may be joined, with each other and with a value.
            guard word.hasPrefix("--") else { return nil }
            return unknown(name, among: arguments.filter(\.shouldDisplay).flatMap(\.written) + flags)
        }
        return nil
    }

    private static func unknown(_ name: String, among names: [String]) -> String {
        let nearest = VerbCheck.near(name, names.filter { $0.hasPrefix("--") })
        guard !nearest.isEmpty else { return "Unknown option '\(name)'" }
        return "Unknown option '\(name)'. Did you mean \(nearest.map { "'\($0)'" }.joined(separator: " or "))?"
    }
}
