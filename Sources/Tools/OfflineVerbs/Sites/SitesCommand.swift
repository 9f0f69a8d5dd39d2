internal import ArgumentParser

/// `sallyport sites`: may credentials go there?
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Compiles lists of allowed sites and looks URLs up in them.",
        subcommands: [SitesCompileCommand.self, SitesMatchCommand.self, SitesExplainCommand.self]
    )
}
