internal import ArgumentParser
internal import ChainSources
internal import Corpora
internal import Foundation
internal import OfflineVerbs
internal import WireFormat

/// `sallyport record HOST[:PORT]… --out DIR`: appends the chains that servers present now.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Appends the chains that servers present now to a recording.",
        discussion: """
            Connects over TLS, keeps the chain, and sends no request. If a chain validates, the validated chain, leaf to \
            anchor, is recorded too. The command only appends, and one run writes at a time, so that cron can start it. Exit \
            status: 0 every host was recorded, 1 some were not, 2 could not run.
            """
    )

    /// The most hosts of one run.
    static let mostHosts = 100_000

    @Argument(help: "Servers, as HOST or HOST:PORT; '-' reads them from standard input, one a line.")
    var hosts: [String]

    @Option(help: "The recording's folder; created if it does not exist.")
    var out: String

    @Option(help: "Trust the certificates of this PEM file instead of the system's.")
    var roots: String?

    @Option(help: "Connect to an address without looking the name up: HOST:PORT:ADDRESS; may be repeated.")
    var resolve: [String] = []

    @Option(help: "Seconds for one server, from 1 to 600.")
    var timeout = 10

    @Flag(help: "One JSON object for each server.")
    var json = false

    func validate() throws {
        guard (1...600).contains(timeout) else { throw ValidationError("--timeout takes 1 to 600 seconds.") }
    }

    private struct Line: Encodable {
        let host: String
        let port: Int
        let presented: Int?
        let validated: Int?
        let reason: String?
    }

    func run() throws {
        do {
            var isComplete = true
            let endpoints = try endpoints()
            let recorder = ChainRecorder(
                capture: try ChainCapture(milliseconds: Int64(timeout) * 1000),
                validator: try roots.map { ChainValidator(roots: try PinsInput.roots(of: $0, "record")) }
                    ?? .system,
                addresses: try addresses()
            )
            var writer = try ChainRecordingWriter(folder: ArgumentPath.url(out))
            for start in stride(from: 0, to: endpoints.count, by: ChainRecorder.atOnce) {
                let batch = Array(endpoints[start..<min(start + ChainRecorder.atOnce, endpoints.count)])
                let results = try Blocking.run {
                    await recorder.entries(for: batch) { SystemClock.unixSeconds }
                }
                for (endpoint, result) in zip(batch, results) {
                    isComplete = try write(result, of: endpoint, to: &writer) && isComplete
                }
                try writer.commit()
            }
            if !isComplete { throw CommandExit.answerWasNo }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw Self.fail("\(error)")
        }
    }

    private func write(
        _ result: Result<ChainRecordingWriter.Entry, CaptureError>,
        of endpoint: RecordedEndpoint,
        to writer: inout ChainRecordingWriter
    ) throws -> Bool {
        var failure: String?
        var entry: ChainRecordingWriter.Entry?
        do {
            let captured = try result.get()
            try writer.add(captured)
            entry = captured
        } catch {
            failure = "\(error)"
        }
        if json {
            let line = Line(
                host: endpoint.host,
                port: endpoint.port,
                presented: entry?.presented?.count,
                validated: entry?.validated?.count,
                reason: failure ?? entry?.note
            )
            try StandardOutput.write(JSONValue.line(encoding: line))
        } else if let entry {
            let presented = entry.presented?.count ?? 0
            let outcome = entry.validated.map { "validated by \($0.count.counted("certificate"))" } ?? entry.note ?? ""
            try StandardOutput.write("\(endpoint)  \(presented.counted("certificate")) presented, \(outcome)\n")
        }
        if let failure { StandardError.write("sallyport record: \(endpoint): \(failure)\n") }
        return failure == nil
    }

    private func endpoints() throws -> [RecordedEndpoint] {
        var names: [Substring] = []
        for host in hosts {
            guard host == "-" else {
                names.append(host[...])
                continue
            }
            let text = String(decoding: try PinsInput.bytes(of: "-", "record"), as: UTF8.self)
            names += text.split(whereSeparator: \.isNewline)
        }
        guard names.count <= Self.mostHosts else {
            throw Self.fail("more than \(Self.mostHosts) hosts: use several runs")
        }
        let endpoints = try names.map { name in
            guard let endpoint = RecordedEndpoint(parsing: name) else {
                throw Self.fail("\(JSONText.escaped(String(name.prefix(80)))): write HOST or HOST:PORT, with A-labels")
            }
            return endpoint
        }
        guard Set(endpoints).count == endpoints.count else {
            throw Self.fail("one host is named twice: name each once")
        }
        return endpoints
    }

    private func addresses() throws -> [RecordedEndpoint: String] {
        var addresses: [RecordedEndpoint: String] = [:]
        for text in resolve {
            // The colons of an IPv6 address in brackets belong to the host.
            let bracket = text.hasPrefix("[") ? text.firstIndex(of: "]") : nil
            let host = bracket.map { text[...$0] } ?? text.prefix { $0 != ":" }
            let parts = text[host.endIndex...].split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty, let endpoint = RecordedEndpoint(parsing: "\(host):\(parts[1])"),
                !parts[2].isEmpty
            else { throw Self.fail("--resolve takes HOST:PORT:ADDRESS") }
            addresses[endpoint] = String(parts[2])
        }
        return addresses
    }

    private static func fail(_ text: String) -> ExitCode {
        StandardError.write("sallyport record: \(text)\n")
        return CommandExit.couldNotRun
    }
}
