package import Foundation

/// The curves of many operations, measured in one go, and the folder they are saved in.
///
/// ```
/// run.json                                  this value without the points
/// SiteTrie.verdict_hit_N=1000.closed.hgrm   a percentile distribution for each operation and loop
/// ```
package struct LatencyRun: Sendable {
    /// How one operation was measured, and the result.
    package struct Entry: Sendable {
        package let operation: String
        package let loop: LatencyCurve.Loop
        /// Arrivals a second; `nil` in a closed loop.
        package let rate: Double?
        /// The share of time in which the operation itself was under way; `nil` in a closed loop.
        package let utilisation: Double?
        package let curve: LatencyCurve
        /// The distribution as text; what ``curve`` was read from.
        package let text: String

        package init(
            operation: String,
            loop: LatencyCurve.Loop,
            rate: Double? = nil,
            utilisation: Double? = nil,
            text: String
        ) throws(PercentileDistribution.Unreadable) {
            self.operation = operation
            self.loop = loop
            self.rate = rate
            self.utilisation = utilisation
            self.text = text
            curve = try PercentileDistribution.curve(text)
        }
    }

    /// When, where and with what it was measured.
    package let about: String
    /// The nanoseconds that were subtracted from each call.
    package let clockNanoseconds: UInt64
    package var entries: [Entry]

    package init(about: String, clockNanoseconds: UInt64, entries: [Entry] = []) {
        self.about = about
        self.clockNanoseconds = clockNanoseconds
        self.entries = entries
    }

    package func entry(_ operation: String, _ loop: LatencyCurve.Loop) -> Entry? {
        entries.first { $0.operation == operation && $0.loop == loop }
    }

    /// The operations, in the order in which they were measured.
    package var operations: [String] {
        var seen: Set<String> = []
        return entries.map(\.operation).filter { seen.insert($0).inserted }
    }

    // MARK: - Folder

    private struct Index: Codable {
        struct Entry: Codable {
            let operation: String
            let loop: LatencyCurve.Loop
            let rate: Double?
            let utilisation: Double?
        }
        let about: String
        let clockNanoseconds: UInt64
        let entries: [Entry]
    }

    private static let index = "run.json"

    /// Saves the run in `folder`, which is created if it does not exist.
    package func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for entry in entries {
            try Data(entry.text.utf8).write(to: folder.appending(path: Self.file(entry.operation, entry.loop)))
        }
        let index = Index(
            about: about,
            clockNanoseconds: clockNanoseconds,
            entries: entries.map {
                .init(operation: $0.operation, loop: $0.loop, rate: $0.rate, utilisation: $0.utilisation)
            }
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(index).write(to: folder.appending(path: Self.index))
    }

    /// Reads a saved run.
    package init(folder: URL) throws {
        let index = try JSONDecoder().decode(Index.self, from: Data(contentsOf: folder.appending(path: Self.index)))
        self.init(about: index.about, clockNanoseconds: index.clockNanoseconds)
        for entry in index.entries {
            let file = folder.appending(path: Self.file(entry.operation, entry.loop))
            entries.append(
                try Entry(
                    operation: entry.operation,
                    loop: entry.loop,
                    rate: entry.rate,
                    utilisation: entry.utilisation,
                    text: String(contentsOf: file, encoding: .utf8)
                )
            )
        }
    }

    private static func file(_ operation: String, _ loop: LatencyCurve.Loop) -> String {
        // The name of an operation looks like a path, and must not lead out of the folder.
        operation.map { $0 == "/" ? "_" : "\($0)" }.joined() + ".\(loop.rawValue).hgrm"
    }
}
