internal import ArgumentParser

/// `sallyport negotiate`: tokens of the HTTP scheme Negotiate.
struct NegotiateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "negotiate",
        abstract: "Shows tokens of Negotiate.",
        subcommands: [NegotiateDecodeCommand.self]
    )
}
