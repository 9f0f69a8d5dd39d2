package import ArgumentParser

/// The verbs that open no connection, so that a program of them alone builds without TLS and without clients.
package enum OfflineVerbs {
    /// The verbs whose subcommands are all here.
    package static var whole: [any ParsableCommand.Type] {
        [ReplayCommand.self, NTLMCommand.self, NegotiateCommand.self, SitesCommand.self]
    }

    /// All verbs; `pins` and `study` without the subcommands that need more packages.
    package static var all: [any ParsableCommand.Type] { whole + [PinsCommand.self, StudyCommand.self] }

    /// The verbs and subcommands of `sallyport` that are not here, so that a person who types one gets to know the program that has it.
    package static let elsewhere =
        ["get", "explain", "relay", "gateway", "record", "credentials", "identity", "login", "logout", "token"].map {
            [$0]
        }
        + [["pins", "audit"], ["pins", "sign"], ["pins", "update"], ["study", "import"]]

    /// The verb `pins` with the subcommands that are here and `others`.
    package static func pins(and others: [any ParsableCommand.Type]) -> CommandConfiguration {
        var configuration = adding(others, to: PinsCommand.configuration)
        configuration.abstract = "Extracts pins from certificates, checks chains, audits and converts policies."
        return configuration
    }

    /// The verb `study` with the subcommands that are here and `others`.
    package static func study(and others: [any ParsableCommand.Type]) -> CommandConfiguration {
        adding(others, to: StudyCommand.configuration)
    }

    private static func adding(
        _ others: [any ParsableCommand.Type],
        to configuration: CommandConfiguration
    ) -> CommandConfiguration {
        var configuration = configuration
        configuration.subcommands += others
        return configuration
    }
}
