internal import ArgumentParser
internal import WireFormat

/// Looks at the verbs of a command line before the parser does, which would only count the arguments that it does not expect.
enum VerbCheck {
    /// The most characters of a word that is compared with verbs.
    private static let mostLetters = 32

    /// What is wrong with a verb, the remedy, and the help to read; `nil` if the parser may go on.
    ///
    /// A word that is not near a verb is not shown, because it may be a secret.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, the verb first.
    ///   - root: the program's command.
    ///   - elsewhere: verbs that `sallyport` alone has.
    static func problem(
        _ arguments: [String],
        of root: any ParsableCommand.Type,
        elsewhere: [[String]]
    ) -> String? {
        var configuration = root.configuration
        let program = configuration.commandName ?? "sallyport"
        var path: [String] = []
        var rest = arguments[...]
        if rest.first == "help" { rest.removeFirst() }
        while let word = rest.first, !word.hasPrefix("-"), !configuration.subcommands.isEmpty {
            // Not by key paths: Swift 6.3.1 crashes on those of a type that is a value.
            let commands = configuration.subcommands.map { command in command.configuration }
            if let next = commands.first(where: { $0.commandName == word }) {
                (configuration, path) = (next, path + [word])
                rest.removeFirst()
                continue
            }
            let help = ([program] + path + ["--help"]).joined(separator: " ")
            let known = elsewhere.filter { Array($0.dropLast()) == path }.compactMap(\.last)
            if known.contains(word) { return "\(otherProgram(path + [word], program)); see \(help)" }
            let shown = commands.filter(\.shouldDisplay).compactMap(\.commandName)
            // A verb of the other program is named with that program.
            let nearest = near(word, shown + known).map {
                shown.contains($0) ? $0 : (["sallyport"] + path + [$0]).joined(separator: " ")
            }
            // What follows a verb that can be left out may be an argument of it.
            let isOptional = configuration.defaultSubcommand != nil
            guard !isOptional || !nearest.isEmpty && !FileReading.isTaken(word) else { return nil }
            return "\(unknown(word, nearest, isFirst: path.isEmpty)); see \(help)"
        }
        return nil
    }

    private static func otherProgram(_ path: [String], _ program: String) -> String {
        let verb = path.joined(separator: " ")
        return
            "\(program) has no verb '\(verb)', but sallyport has: run sallyport \(verb), or in the repository swift run sallyport \(verb)"
    }

    private static func unknown(_ word: String, _ nearest: [String], isFirst: Bool) -> String {
        if !nearest.isEmpty { return "unknown verb '\(word)': use \(nearest.joined(separator: " or "))" }
        if isFirst, word.contains("://") { return "a URL is not a verb: write sallyport get before it" }
        return "unknown verb, not shown because it may be a secret"
    }

    /// The verbs that a person may have meant: those that take the fewest changes, at most one of a short word and two of a longer one.
    static func near(_ word: String, _ verbs: [String]) -> [String] {
        guard word.count <= mostLetters else { return [] }
        let limit = word.count < 4 ? 1 : 2
        let distances = verbs.map { (verb: $0, distance: distance(Array(word.lowercased()), Array($0))) }
        let least = distances.map(\.distance).min() ?? .max
        return least > limit ? [] : distances.filter { $0.distance == least }.map(\.verb)
    }

    /// How many letters are put in, left out, replaced, or exchanged with the next one.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var line = [row + 1]
            for column in other.indices {
                let replaced = last[column] + (one[row] == other[column] ? 0 : 1)
                var least = min(replaced, last[column + 1] + 1, line[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column] {
                    least = min(least, before[column - 1] + 1)
                }
                line.append(least)
            }
            (before, last) = (last, line)
        }
        return last[other.count]
    }
}
