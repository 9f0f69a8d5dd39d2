internal import ArgumentParser

/// What an adapter adds to a request, and how many handshakes it does.
@main
struct AdapterMeter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "AdapterMeter",
        abstract: "Measures adapters over sockets of this machine, against a server in the same process.",
        subcommands: [MeasureRequests.self, MeasureHandshakes.self]
    )
}
