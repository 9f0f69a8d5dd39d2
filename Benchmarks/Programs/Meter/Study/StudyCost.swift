internal import Corpora
internal import Foundation
internal import PeerComparison
internal import PinningStudy

/// The time of each phase of a study: elapsed nanoseconds, the best of several rounds.
///
/// Strategies are replayed on all processors, which processor time would not show.
struct StudyCost {
    private var load = UInt64.max
    private var group = UInt64.max
    private var replay = UInt64.max
    private var report = UInt64.max
    /// The time of Foundation's decoder for the same lines.
    private var decoder = UInt64.max
    private var certificates = 0
    private var captures = 0
    /// Bytes by which loading, grouping and replaying raised the peak of memory.
    private var peak: Int?

    /// - Parameter folder: of the recording; the one that ships when `nil`.
    init(of folder: URL?, rounds: Int) throws {
        let folder = try folder ?? ShippedChainRecording.publicSites.folder()
        var parameters = StudyParameters()
        parameters.latencyRounds = 0
        parameters.resamplings = 0
        let before = Self.peakOfMemory()
        for round in 0..<rounds {
            let start = Clock.monotonic()
            let recording = try ChainRecording(folder: folder)
            let loaded = Clock.monotonic()
            let history = ChainHistory(recording)
            let grouped = Clock.monotonic()
            let study = Study(history, parameters: parameters)
            let replayed = Clock.monotonic()
            if round == 0, let before, let after = Self.peakOfMemory() { peak = after - before }
            let text = StudyReport(study).strategies.count
            let reported = Clock.monotonic()
            precondition(text == PinningStrategy.builtIn.count, "a strategy is missing")
            let decoded = try Self.decode(folder)
            precondition(decoded == recording.certificates.count + recording.observations.count, "a line is missing")
            decoder = min(decoder, Clock.monotonic() - reported)
            load = min(load, loaded - start)
            group = min(group, grouped - loaded)
            replay = min(replay, replayed - grouped)
            report = min(report, reported - replayed)
            (certificates, captures) = (recording.certificates.count, history.captureCount)
        }
    }

    static let header =
        "certificates  captures  load ms  group ms  replay ms  report ms  JSONDecoder ms  ns/certificate/strategy  peak MB  peak/DER"

    /// One row; everything up to the replay counts for the time per certificate and strategy.
    func line(derBytes: Int) -> String {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        func milliseconds(_ time: UInt64) -> String { String(format: "%.2f", Double(time) / 1e6) }
        let each =
            Double(load + group + replay) / Double(max(certificates, 1)) / Double(PinningStrategy.builtIn.count)
        let share = peak.map { derBytes > 0 ? String(format: "%.2f", Double($0) / Double(derBytes)) : "." } ?? "."
        return [
            padded("\(certificates)", 12), padded("\(captures)", 8), padded(milliseconds(load), 7),
            padded(milliseconds(group), 8), padded(milliseconds(replay), 9), padded(milliseconds(report), 9),
            padded(milliseconds(decoder), 14),
            padded(String(format: "%.0f", each), 23),
            padded(peak.map { String(format: "%.1f", Double($0) / 1e6) } ?? ".", 7), padded(share, 8),
        ].joined(separator: "  ")
    }

    private struct Certificate: Decodable {
        let fingerprint, key, subject, issuer, notBefore, notAfter, keyType: String
        let keyBits: Int?
        let isAuthority: Bool

        enum CodingKeys: String, CodingKey {
            case subject, issuer
            case fingerprint = "certificate_sha256"
            case key = "spki_sha256"
            case notBefore = "not_before"
            case notAfter = "not_after"
            case keyType = "key_type"
            case keyBits = "key_bits"
            case isAuthority = "is_ca"
        }
    }

    private struct Observation: Decodable {
        let host: String
        let port: Int
        let time, first, last, label, source, note: String?
        let chain, presented: [String]?
    }

    private static func lines(_ folder: URL, _ name: String) throws -> [Data] {
        // Not with the split of Data, which takes as long as the decoder.
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        return bytes.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    /// How many lines Foundation's decoder reads.
    private static func decode(_ folder: URL) throws -> Int {
        let decoder = JSONDecoder()
        var lines = 0
        for line in try Self.lines(folder, "certificates.ndjson") {
            lines += try decoder.decode(Certificate.self, from: line).subject.isEmpty ? 0 : 1
        }
        for line in try Self.lines(folder, "observations.ndjson") {
            lines += try decoder.decode(Observation.self, from: line).host.isEmpty ? 0 : 1
        }
        return lines
    }

    /// Processor time and the peak of memory of this program so far, in milliseconds and megabytes.
    static func printWholeProcess() {
        print(String(format: "%.1f %.1f", Double(Clock.processor()) / 1e6, Double(peakOfMemory() ?? 0) / 1e6))
    }

    /// The most memory that this program has had at once, in bytes; `nil` if the system does not report it.
    ///
    /// Not of `getrusage`: on Linux that keeps the peak of the parent process.
    private static func peakOfMemory() -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
