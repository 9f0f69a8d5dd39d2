internal import ArgumentParser

/// The time of single calls, up to the slowest of ten million.
@main
struct LatencyReport: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "LatencyReport",
        abstract: "Records how long single calls take, and compares them with a saved run.",
        subcommands: [MeasureCalls.self, MeasureContention.self],
        defaultSubcommand: MeasureCalls.self
    )

    /// Usage errors are one line, and their status is 2.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
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
