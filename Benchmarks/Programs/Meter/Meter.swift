internal import ArgumentParser

/// Time and memory of parts of Sallyport that no gate guards: `swift run -c release Meter --help`.
@main
struct Meter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures adapters over sockets of this machine, stores, studies, and the time of single calls.",
        subcommands: [
            MeasureRequests.self, MeasureHandshakes.self, MeasureStores.self, MeasureStudies.self, MeasureLatency.self,
        ]
    )

    /// Usage errors are one line, and their status is 2.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let code as ExitCode {
            exit(withError: code)
        } catch {
            let status = exitCode(for: error)
            guard !status.isSuccess else { exit(withError: error) }
            let text = fullMessage(for: error).split(separator: "\n").first.map(String.init) ?? "\(error)"
            Machine.say(text)
            exit(withError: ExitCode(2))
        }
    }
}
