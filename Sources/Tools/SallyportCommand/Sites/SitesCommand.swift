internal import ArgumentParser

/// `sallyport sites`: may credentials go there?
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Compiles and asks lists of allowed sites.",
        subcommands: [SitesCompileCommand.self, SitesMatchCommand.self, SitesExplainCommand.self]
    )
}
