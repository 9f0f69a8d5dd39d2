internal import ArgumentParser
internal import Dispatch

/// Time and memory of parts of Sallyport that no gate guards: `swift run -c release Meter --help`.
@main
struct Meter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures adapters over sockets of this machine, stores, studies, and the time of single calls.",
        subcommands: [
            MeasureRequests.self, MeasureHandshakes.self, MeasureStores.self, MeasureStudies.self, MeasureLatency.self,
        ]
    )

    /// Waits on the main thread: an asynchronous `main` ends it, and valgrind ends with it.
    static func main() {
        let hasEnded = DispatchSemaphore(value: 0)
        Task.detached {
            await runAsRoot()
            hasEnded.signal()
        }
        hasEnded.wait()
    }

    /// Usage errors are one line, and their status is 2.
    private static func runAsRoot() async {
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
