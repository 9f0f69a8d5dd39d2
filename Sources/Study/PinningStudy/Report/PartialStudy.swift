public import Foundation

/// A study's records as a file: counts, lives and histograms, of which nothing is rounded.
///
/// Reports are made from records alone, so parts that are put together say exactly what one run over all hosts says.
extension Study {
    private struct File: Codable {
        var format = Study.format
        var version = Study.version
        let parameters: StudyReport.Parameters
        let recording: StudiedRecording
        let strategies: [StudiedStrategy]
    }

    private static let format = "sallyport-partial-study"
    private static let version = 2

    /// The most bytes of a file.
    public static let largestFile = 1 << 30

    /// The records as JSON.
    public var partial: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let file = File(parameters: StudyReport.Parameters(parameters), recording: recording, strategies: strategies)
        // Every value is a finite number, a text or a container of them: encoding cannot fail.
        return (try? encoder.encode(file)) ?? Data()
    }

    /// Reads what ``partial`` wrote.
    public init(partial data: Data) throws(PartialStudyError) {
        guard data.count <= Self.largestFile else { throw .tooLarge(bytes: data.count, limit: Self.largestFile) }
        guard let file = try? JSONDecoder().decode(File.self, from: data), file.format == Self.format,
            file.version == Self.version, let parameters = file.parameters.parameters, let first = file.strategies.first
        else { throw .notAPartialStudy }
        let hosts = first.hosts.map(\.host)
        guard Set(hosts).count == hosts.count, file.strategies.allSatisfy({ $0.hosts.map(\.host) == hosts }),
            file.strategies.allSatisfy({ $0.hosts.allSatisfy(\.isSound) })
        else { throw .notAPartialStudy }
        self.init(parameters: parameters, recording: file.recording, strategies: file.strategies)
    }

    /// Puts parts of one study together.
    public init(merging parts: [Study]) throws(PartialStudyError) {
        guard let first = parts.first else { throw .nothingToMerge }
        var strategies = first.strategies
        for part in parts.dropFirst() {
            guard part.parameters == first.parameters else { throw .otherParameters }
            guard part.recording == first.recording else { throw .otherRecording }
            guard part.strategies.map(\.name) == strategies.map(\.name) else { throw .otherStrategies }
            for index in strategies.indices { strategies[index].hosts += part.strategies[index].hosts }
        }
        for index in strategies.indices {
            // In the order that one run has, which is the order of names and ports.
            strategies[index].hosts.sort { HostOrder($0.host) < HostOrder($1.host) }
            for (host, next) in zip(strategies[index].hosts, strategies[index].hosts.dropFirst())
            where host.host == next.host {
                throw .hostTwice(host.host)
            }
        }
        let hosts = strategies[0].hosts.count
        guard hosts == first.recording.hosts else { throw .hostsMissing(hosts, of: first.recording.hosts) }
        self.init(parameters: first.parameters, recording: first.recording, strategies: strategies)
    }
}

/// The order of ``RecordedEndpoint``, of its text.
private struct HostOrder: Comparable {
    private let name: Substring
    private let port: Int

    init(_ text: String) {
        // An address in brackets has colons of its own; a port follows the last one, behind the bracket.
        let end = text.lastIndex(of: ":").flatMap { colon in
            text.hasPrefix("[") && !text[..<colon].hasSuffix("]") ? nil : colon
        }
        name = end.map { text[..<$0] } ?? text[...]
        port = end.flatMap { Int(text[text.index(after: $0)...]) } ?? 443
    }

    static func < (one: Self, other: Self) -> Bool {
        if one.name == other.name { return one.port < other.port }
        return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}

extension HostRecord {
    /// Whether a file holds what a replay can come to.
    fileprivate var isSound: Bool {
        lives.allSatisfy {
            $0.alive >= 0 && $0.alive <= $0.dead ?? .max && $0.dead ?? 0 < 1 << 40 && $0.alive < 1 << 40
        }
            && outages >= 0 && observedDays >= 0 && pins >= 0 && (0...(1 << 40)).contains(bytes)
            && leaks.allSatisfy { $0.windowDays.isFinite && $0.userDays.isFinite }
            && latencies.allSatisfy { $0.count < 1 << 40 }
    }
}

/// Why parts of a study cannot be read or put together.
public enum PartialStudyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file is longer than it may be.
    case tooLarge(bytes: Int, limit: Int)
    /// A file is something else.
    case notAPartialStudy
    /// There is no part.
    case nothingToMerge
    /// Two parts were asked different questions.
    case otherParameters
    /// Two parts are of different recordings.
    case otherRecording
    /// Two parts have different strategies.
    case otherStrategies
    /// A host stands in two parts.
    case hostTwice(String)
    /// Some hosts are in no part.
    case hostsMissing(Int, of: Int)

    /// What, and what to do, in one line.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "\(bytes) bytes, where \(limit) are the most: split the recording further"
        case .notAPartialStudy: "not a partial study of this version: make it with 'study --partial'"
        case .nothingToMerge: "no partial study: name the files to merge"
        case .otherParameters: "the parts were made with different parameters: make them with the same options"
        case .otherRecording: "the parts are of different recordings: make them from the same one"
        case .otherStrategies: "the parts have different strategies: make them with the same ones"
        case .hostTwice(let host): "\(host) is in two parts: leave one out"
        case .hostsMissing(let count, let total):
            "only \(count) of \(total) hosts are in the parts: add the missing parts"
        }
    }
}
