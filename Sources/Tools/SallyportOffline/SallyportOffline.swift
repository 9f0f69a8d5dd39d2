internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport-offline`: the verbs of `sallyport` that open no connection.
@main
struct SallyportOffline: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sallyport-offline",
        abstract: "The verbs of sallyport that open no connection.",
        discussion: """
            It builds without TLS and without clients, so its first build is short. sallyport has these verbs and all others. Exit \
            status: 0 if every answer is yes, 1 if an answer is no, 2 if the command could not run.
            """,
        version: ProgramVersion.lines,
        subcommands: OfflineVerbs.all
    )

    static func main() { CommandRun.main(Self.self, elsewhere: OfflineVerbs.elsewhere) }
}
