internal import ArgumentParser

/// `sallyport sites`: may credentials go there?
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Asks lists of allowed sites.",
        subcommands: [SitesMatchCommand.self, SitesExplainCommand.self]
    )
}
