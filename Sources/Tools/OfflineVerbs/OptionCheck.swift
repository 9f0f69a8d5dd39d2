internal import ArgumentParser
internal import Foundation

/// Finds an option or argument that a verb does not take.
///
/// The parser converts and checks the values that it knows before it looks at the others. So it would say of a misspelt option that the
/// right one is missing.
enum OptionCheck {
    /// The part of the parser's description of a program that is needed here.
    private struct Program: Decodable { let command: Command }

    private struct Command: Decodable {
        let commandName: String
        let defaultSubcommand: String?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        struct Name: Decodable {
            let kind, name: String

            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: String
        let shouldDisplay: Bool
        let names: [Name]?
    }

    /// The first option that the verb does not have, or the first argument if it takes none; `nil` if there is neither.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, the verb first.
    ///   - root: the program's command.
    static func problem(_ arguments: [String], of root: any ParsableCommand.Type) -> String? {
        // Another version of the parser may describe a program in another way. Then the parser's own message is shown.
        guard let program = try? JSONDecoder().decode(Program.self, from: Data(root._dumpHelp().utf8)) else {
            return nil
        }
        var command = program.command
        var rest = arguments[...]
        while let commands = command.subcommands, !commands.isEmpty {
            if let next = commands.first(where: { $0.commandName == rest.first }) {
                rest.removeFirst()
                command = next
            } else if let next = commands.first(where: { $0.commandName == command.defaultSubcommand }) {
                command = next
            } else {
                return nil
            }
        }
        return problem(rest, command.arguments ?? [])
    }

    private static func problem(_ words: ArraySlice<String>, _ arguments: [Argument]) -> String? {
        let takesWords = arguments.contains { $0.kind == "positional" }
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
            let known = arguments.first { $0.names?.contains { $0.text == name } == true }
            if let known {
                isValue = known.kind == "option" && name == word
                continue
            }
            // Letters may be joined, with each other and with a value.
            guard word.hasPrefix("--") else { return nil }
            return unknown(name, arguments)
        }
        return nil
    }

    private static func unknown(_ name: String, _ arguments: [Argument]) -> String {
        let names = arguments.filter(\.shouldDisplay).flatMap { $0.names ?? [] }.map(\.text)
        let nearest = VerbCheck.near(name, names.filter { $0.hasPrefix("--") })
        guard !nearest.isEmpty else { return "Unknown option '\(name)'" }
        return "Unknown option '\(name)'. Did you mean \(nearest.map { "'\($0)'" }.joined(separator: " or "))?"
    }
}
