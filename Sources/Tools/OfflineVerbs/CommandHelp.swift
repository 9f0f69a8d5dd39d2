package import ArgumentParser
internal import Foundation

/// What the parser says about the arguments of a command, so that no option needs a second list.
package struct CommandHelp: Decodable {
    private let command: Command

    package init(of command: any ParsableCommand.Type) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(command._dumpHelp().utf8))
    }

    /// In the order of the help.
    package var arguments: [Argument] { command.arguments ?? [] }

    private struct Command: Decodable {
        let arguments: [Argument]?
    }

    package struct Argument: Decodable {
        private let kind: String
        private let names: [Name]?
        package let isRepeating: Bool
        package let valueName: String?
        /// Whether the help shows it.
        let shouldDisplay: Bool

        /// Whether it is an option with a value.
        package var takesValue: Bool { kind == "option" }
        /// Whether it is a word without a name.
        var isWord: Bool { kind == "positional" }
        /// The long name, without its dashes.
        package var long: String? { names?.first { $0.kind == "long" }?.name }
        /// The short name, without its dash.
        package var short: String? { names?.first { $0.kind == "short" }?.name }
        /// All names, with their dashes.
        package var written: [String] { (names ?? []).map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" } }
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}
