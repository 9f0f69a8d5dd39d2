internal import ArgumentParser

/// `sallyport sites`: may credentials go there?
struct SitesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sites",
        abstract: "Compiles and converts lists of allowed sites, and looks URLs up in them.",
        subcommands: [
            SitesCompileCommand.self, SitesConvertCommand.self, SitesMatchCommand.self, SitesExplainCommand.self,
        ]
    )
}
