internal import ArgumentParser
internal import OfflineVerbs
internal import ProfileFiles

/// The long options of a command that a file may give.
struct OptionTable {
    /// In the order of the help.
    let options: [OptionFile.Option]

    /// - Parameters:
    ///   - command: whose options.
    ///   - names: those that are left out.
    init(of command: (some ParsableCommand).Type, without names: Set<String>) throws {
        options = try CommandHelp(of: command).arguments.compactMap { argument in
            guard let name = argument.long, !names.contains(name) else { return nil }
            return OptionFile.Option(
                name: name,
                kind: !argument.takesValue ? .flag : argument.valueName == "file" ? .path : .text,
                isRepeating: argument.isRepeating
            )
        }
    }
}
