internal import Corpora
public import Foundation
internal import Secrets
internal import WireFormat

/// A study's records as a file: counts, lives and histograms, without rounding.
///
/// Reports are made from records alone, so merged parts give exactly the report of one run over all hosts.
extension Study {
    /// The first line.
    private struct Header: Codable {
        let format: String
        let version: Int
        /// SHA-256 of the second line, in hexadecimal digits. It detects a changed digit, which would still be a valid
        /// count.
        let sha256: String
    }

    /// The second line.
    private struct Records: Codable {
        let parameters: StudyReport.Parameters
        let recording: StudiedRecording
        let strategies: [StudiedStrategy]
    }

    private static let format = "sallyport-partial-study"
    private static let version = 4

    /// The upper bound of a file's size, in bytes.
    public static let largestFile = 1 << 30

    /// The records as JSON: a line with format, version and checksum, and a line with the records.
    public var partial: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let records = Records(
            parameters: StudyReport.Parameters(parameters),
            recording: recording,
            strategies: strategies
        )
        // Every value is a finite number, a text or a container of them: encoding cannot fail.
        let body = (try? encoder.encode(records)) ?? Data()
        let header = Header(format: Self.format, version: Self.version, sha256: Self.checksum(of: body))
        let newline = Data([UInt8(ascii: "\n")])
        return ((try? encoder.encode(header)) ?? Data()) + newline + body + newline
    }

    private static func checksum(of body: Data) -> String {
        let digest = Digest32(sha256Of: body.span)
        var bytes: [UInt8] = []
        for index in 0..<4 { bytes.append(littleEndian: digest.words[index]) }
        return Hexadecimal.encode(bytes.span)
    }

    /// Reads a file that ``partial`` wrote.
    public init(partial data: Data) throws(PartialStudyError) {
        guard data.count <= Self.largestFile else { throw .tooLarge(bytes: data.count, limit: Self.largestFile) }
        guard let end = data.firstIndex(of: UInt8(ascii: "\n")), (try? JSONCheck.check(data[..<end].span)) != nil,
            let header = try? JSONDecoder().decode(Header.self, from: data[..<end]), header.format == Self.format,
            header.version == Self.version
        else { throw .notAPartialStudy }
        var body = data[data.index(after: end)...]
        if body.last == UInt8(ascii: "\n") { body = body.dropLast() }
        guard Self.checksum(of: body) == header.sha256 else { throw .damaged }
        do throws(JSONProblem) {
            try JSONCheck.check(body.span)
        } catch {
            throw .notAPartialStudy
        }
        guard let file = try? JSONDecoder().decode(Records.self, from: body),
            let parameters = file.parameters.parameters, let first = file.strategies.first
        else { throw .notAPartialStudy }
        guard file.recording.isSound else { throw .recordingOutOfRange }
        let hosts = first.hosts.map(\.host)
        guard Set(hosts).count == hosts.count, file.strategies.allSatisfy({ $0.hosts.map(\.host) == hosts }) else {
            throw .notAPartialStudy
        }
        for strategy in file.strategies {
            for host in strategy.hosts where !host.isSound {
                throw .outOfRange(strategy: strategy.name, host: host.host)
            }
        }
        self.init(parameters: parameters, recording: file.recording, strategies: file.strategies)
    }

    /// Merges parts of one study.
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
            // One run orders hosts by name, then port.
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

/// Compares the texts of two endpoints in the order of ``RecordedEndpoint``.
private struct HostOrder: Comparable {
    private let name: Substring
    private let port: Int

    init(_ text: String) {
        // An address in brackets contains colons; only a colon after the bracket starts a port.
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
    /// Whether the numbers of a file are in the range that a replay can produce.
    fileprivate var isSound: Bool {
        lives.allSatisfy {
            $0.alive >= 0 && $0.alive <= $0.dead ?? .max && $0.dead ?? 0 < 1 << 40 && $0.alive < 1 << 40
        }
            && [outages, pins, mostPins, bytes, exposure.keys, exposure.authorities, exposure.organisations]
                .allSatisfy(Self.isCount)
            && pins <= mostPins && exposure.authorities <= exposure.keys
            && exposure.organisations <= exposure.authorities
            && ([observedDays] + [hostDays, userDays].flatMap { [$0.early, $0.late] }).allSatisfy(Self.isSpan)
            && impostors.allSatisfy { Self.isSpan($0.openDays) && ($0.accepted || ($0.openDays == 0 && $0.isClosed)) }
            && leaks.allSatisfy { Self.isSpan($0.windowDays) && Self.isSpan($0.userDays) }
            && latencies.allSatisfy { $0.count < Self.mostCount }
    }

    /// More than any count of a recording, and small enough that sums do not overflow.
    private static var mostCount: Int { 1 << 40 }

    fileprivate static func isCount(_ number: Int) -> Bool { (0...mostCount).contains(number) }

    /// Whether `days` fits into a recording, whose years have four digits.
    fileprivate static func isSpan(_ days: Double) -> Bool { (0...Double(9999 * 366)).contains(days) }
}

extension StudiedRecording {
    /// Whether the numbers of a file are in the range of a recording.
    fileprivate var isSound: Bool {
        // The years 0 to 9999, the range of a recording's lines.
        let years = Timestamp.range.lowerBound - 366 * 86_400...Timestamp.range.upperBound
        let times = timelines.flatMap { [$0.first, $0.last] + $0.changes.flatMap { [$0.after, $0.by] } }
        let counts = [
            hosts, captures, certificates, authorities, impostors, unvalidated, unjudged, unstudiedHosts, repeated,
        ]
        return counts.allSatisfy(HostRecord.isCount) && unjudged <= unvalidated
            && namedUnstudiedHosts.count == min(unstudiedHosts, Self.mostNamedHosts)
            && namedUnstudiedHosts.allSatisfy { RecordedEndpoint(parsing: $0)?.description == $0 }
            && first <= last && ([first, last] + times).allSatisfy(years.contains)
            && [medianGapDays, widestGapDays].allSatisfy(HostRecord.isSpan) && medianGapDays <= widestGapDays
    }
}

/// Why parts of a study cannot be read or merged.
public enum PartialStudyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file is longer than it may be.
    case tooLarge(bytes: Int, limit: Int)
    /// The checksum of a file does not match its records.
    case damaged
    /// A number is outside the range that a replay can produce.
    case outOfRange(strategy: String, host: String)
    /// A number about the recording is out of range.
    case recordingOutOfRange
    /// A file is not a partial study of this version.
    case notAPartialStudy
    /// The list of parts is empty.
    case nothingToMerge
    /// Two parts have different parameters.
    case otherParameters
    /// Two parts are of different recordings.
    case otherRecording
    /// Two parts have different strategies.
    case otherStrategies
    /// A host is in two parts.
    case hostTwice(String)
    /// Some hosts of the recording are missing from the parts.
    case hostsMissing(Int, of: Int)

    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "\(bytes) bytes, more than the limit of \(limit): split the recording further"
        case .damaged: "damaged, because its checksum does not match: make it again with 'study --partial'"
        case .outOfRange(let strategy, let host):
            "a number of strategy '\(strategy)' at host '\(host)' is out of range: make it again with 'study --partial'"
        case .recordingOutOfRange:
            "a number of the recording is out of range: make the part again with 'study --partial'"
        case .notAPartialStudy: "not a partial study of this version: make it with 'study --partial'"
        case .nothingToMerge: "the list of partial studies is empty: name the files to merge"
        case .otherParameters: "the parts were made with different parameters: make them with the same options"
        case .otherRecording: "the parts are of different recordings: make them from the same one"
        case .otherStrategies: "the parts have different strategies: make them with the same ones"
        case .hostTwice(let host): "\(host) is in two parts: leave one out"
        case .hostsMissing(let count, let total):
            "only \(count) of \(total) hosts are in the parts: add the missing parts"
        }
    }
}
