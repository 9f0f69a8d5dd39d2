internal import ArgumentParser
internal import OfflineVerbs
internal import ProfileFiles

/// Adds the options of two files, both called `relay.yaml`, to the arguments of `sallyport relay`.
///
/// An option of the user's file replaces the same option of the system's file. An option of the command line replaces both. Lists are
/// replaced as a whole.
struct RelayDefaults {
    /// Where the files lie.
    struct Places {
        /// The system's file.
        var system = "/etc/sallyport/relay.yaml"
        /// The user's file; `nil` if the environment names no folder.
        var user = StorePlace.base("XDG_CONFIG_HOME", otherwise: ".config").map { "\($0)/sallyport/relay.yaml" }
    }

    /// The verb, then the options of the files, then the arguments of the command line.
    let arguments: [String]
    /// The files whose options are used, in the order in which they were read.
    let files: [String]

    /// The options that no file may have: they choose the files, or concern a single run.
    static let ofCommandLine: Set = ["check", "config", "no-config", "help", "version"]

    /// Reads both files, or the one of `--config`, or none with `--no-config`. Blocks the calling thread.
    ///
    /// - Parameter arguments: the verb, then its arguments.
    /// - Throws: ``ProfileFileError``, or `ValidationError`.
    init(completing arguments: [String], places: Places = Places()) throws {
        let given = GivenOptions(arguments.dropFirst())
        if arguments.first == RelayCommand.configuration.commandName, given.config != nil,
            given.names.contains("no-config")
        {
            throw ValidationError("--no-config reads no file: remove it or --config.")
        }
        guard arguments.first == RelayCommand.configuration.commandName, !given.asksForHelp,
            !given.names.contains("no-config")
        else {
            (self.arguments, files) = (arguments, [])
            return
        }
        let options = try OptionTable(of: RelayCommand.self, without: Self.ofCommandLine).options
        var values: [String: (file: String, texts: [String])] = [:]
        for (path, place) in Self.sources(given, places) {
            guard let file = try OptionFile.read(path, options: options, place: place) else { continue }
            values.merge(file.values.mapValues { (path, $0) }) { $1 }
        }
        var before: [String] = []
        var files: [String] = []
        for option in options where !given.names.contains(option.name) {
            guard let (file, texts) = values[option.name] else { continue }
            before += texts.map { option.kind == .flag ? "--\(option.name)" : "--\(option.name)=\($0)" }
            if !files.contains(file) { files.append(file) }
        }
        self.arguments = arguments.prefix(1) + before + arguments.dropFirst()
        self.files = files.sorted { $0 == places.system && $1 != places.system }
    }

    /// Tells which files gave options, for standard error; `nil` if no file did.
    var sentence: String? {
        files.isEmpty
            ? nil
            : "defaults come from \(files.map(\.inOneLine).joined(separator: " and ")): --no-config leaves them out"
    }

    /// Whether the relay writes JSON.
    var isJSON: Bool { arguments.contains("--json") }

    private static func sources(_ given: GivenOptions, _ places: Places) -> [(String, OptionFile.Place)] {
        if let config = given.config { return [(config, .named)] }
        return [(places.system, .system)] + (places.user.map { [($0, .user)] } ?? [])
    }
}

/// The long options that a command line names.
private struct GivenOptions {
    var names: Set<String> = []
    /// The value of `--config`.
    var config: String?
    var asksForHelp = false

    init(_ arguments: some Sequence<String>) {
        var isPath = false
        for argument in arguments {
            if isPath { config = argument }
            isPath = argument == "--config"
            if argument == "--" { return }
            if argument == "-h" { asksForHelp = true }
            // A value does not begin with two dashes: the parser takes none that does.
            guard argument.hasPrefix("--") else { continue }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(String.init) else { continue }
            names.insert(name)
            if name == "config", parts.count == 2 { config = String(parts[1]) }
            if name == "help" || name == "version" { asksForHelp = true }
        }
    }
}
