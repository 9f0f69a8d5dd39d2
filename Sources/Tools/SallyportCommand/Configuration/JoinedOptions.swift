internal import ArgumentParser
internal import OfflineVerbs

/// Short options with their values in one argument, such as `-XPUT` and `-da=1`, as curl takes them.
///
/// The parser has them as well, but takes what follows a `=` for the value, and would show the rest in an error.
enum JoinedOptions {
    /// The arguments of `get` and `explain` with each such value in an argument of its own; those of another verb as they are.
    static func separated(_ arguments: [String]) throws -> [String] {
        let commands: [any ParsableCommand.Type] = [GetCommand.self, ExplainCommand.self]
        guard let verb = arguments.first, let command = commands.first(where: { $0.configuration.commandName == verb }),
            arguments.contains(where: mayBeJoined)
        else { return arguments }
        return try separated(arguments, by: CommandHelp(of: command))
    }

    private static func separated(_ arguments: [String], by help: CommandHelp) -> [String] {
        let options = help.arguments.filter(\.takesValue)
        let short = Set(options.compactMap(\.short))
        let names = Set(options.flatMap(\.written))
        var result: [String] = []
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if argument == "--", !isValue { return result + arguments[index...] }
            if !isValue, mayBeJoined(argument), let letter = argument.dropFirst().first, short.contains(String(letter))
            {
                result += ["-\(letter)", String(argument.dropFirst(2))]
            } else {
                result.append(argument)
            }
            isValue = !isValue && names.contains(argument)
        }
        return result
    }

    private static func mayBeJoined(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.count > 2
    }
}
