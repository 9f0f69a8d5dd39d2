internal import ArgumentParser
internal import Foundation

/// What the parser says about the arguments of a command, so that no option needs a second list.
struct CommandHelp: Decodable {
    private let command: Command

    init(of command: (some ParsableCommand).Type) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(command._dumpHelp().utf8))
    }

    /// In the order of the help.
    var arguments: [Argument] { command.arguments }

    private struct Command: Decodable {
        let arguments: [Argument]
    }

    struct Argument: Decodable {
        private let kind: String
        private let names: [Name]?
        let isRepeating: Bool
        let valueName: String?

        /// Whether it is an option with a value.
        var takesValue: Bool { kind == "option" }
        /// The long name, without its dashes.
        var long: String? { names?.first { $0.kind == "long" }?.name }
        /// The short name, without its dash.
        var short: String? { names?.first { $0.kind == "short" }?.name }
        /// All names, with their dashes.
        var written: [String] { (names ?? []).map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" } }
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}
