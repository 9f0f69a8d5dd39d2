internal import ArgumentParser

/// Which files give options. ``RelayDefaults`` reads both before the parser runs.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Read options from this file, and not from those of the user and the system.",
            valueName: "file"
        )
    )
    var config: String?

    @Flag(name: .customLong("no-config"), help: "Read no file of options.")
    var noConfig = false
}
