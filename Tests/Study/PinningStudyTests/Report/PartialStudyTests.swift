import Corpora
import Crypto
import Foundation
import PinningStudy
import TestSupport
import Testing

@Suite struct PartialStudyTests {
    // Made once, because a debug build takes seconds.
    private static let history = Result { try ChainHistory(ShippedChainRecording.publicSites.load()) }
    private static let wholes = Result {
        try [7.0, 3.3].reduce(into: [Double: StudyReport]()) {
            $0[$1] = StudyReport(Study(try history.get(), parameters: parameters(halfLife: $1)))
        }
    }
    private static let leafKeys = Result {
        Study(try history.get(), strategies: [.leafKey], parameters: parameters()).partial
    }

    private static func parameters(halfLife: Double) -> StudyParameters {
        parameters { $0.curve = .exponential(halfLifeDays: halfLife) }
    }

    private static func parameters(_ change: (inout StudyParameters) -> Void = { _ in }) -> StudyParameters {
        var parameters = StudyParameters()
        parameters.resamplings = 30
        // A latency is another one each time; everything else must be the same.
        parameters.latencyRounds = 0
        change(&parameters)
        return parameters
    }

    @Test("Parts that were written and read give exactly the report of one run", arguments: [1, 2, 4, 9], [7.0, 3.3])
    func exactness(parts: Int, halfLife: Double) throws {
        let history = try Self.history.get()
        let parameters = Self.parameters(halfLife: halfLife)
        let studies = try (1...parts).map { part in
            try Study(partial: Study(history, parameters: parameters, part: (part, parts)).partial)
        }
        let merged = try Study(merging: studies.shuffled())
        #expect(try StudyReport(merged) == Self.wholes.get()[halfLife])
    }

    @Test("Impostors and ports as well", arguments: Effort.seeds(2, thorough: 4))
    func generated(seed: UInt64) throws {
        let recording = GeneratedRecording(seed: seed, hosts: 12)
        defer { recording.remove() }
        let history = try ChainHistory(ChainRecording(folder: recording.folder))
        let parts = try (1...3).map { part in
            try Study(partial: Study(history, parameters: Self.parameters(), part: (part, 3)).partial)
        }
        #expect(StudyReport(try Study(merging: parts)) == StudyReport(Study(history, parameters: Self.parameters())))
    }

    @Test func histogramsAddUp() throws {
        let history = try Self.history.get()
        let parameters = Self.parameters { $0.latencyRounds = 2 }
        let parts = try (1...2).map { part in
            try Study(partial: Study(history, parameters: parameters, part: (part, 2)).partial)
        }
        let report = StudyReport(try Study(merging: parts))
        for strategy in report.strategies {
            #expect(strategy.cost.latencyNanoseconds["count"] == 446)
            let slowest = parts.map { StudyReport($0) }.compactMap { part in
                part.strategies.first { $0.name == strategy.name }?.cost.latencyNanoseconds["max"]
            }
            #expect(strategy.cost.latencyNanoseconds["max"] == slowest.max())
        }
    }

    @Test func whatDoesNotBelongTogetherIsRefused() throws {
        let history = try Self.history.get()
        let first = Study(history, parameters: Self.parameters(), part: (1, 2))
        let second = Study(history, parameters: Self.parameters(), part: (2, 2))
        #expect(throws: PartialStudyError.nothingToMerge) { try Study(merging: []) }
        #expect(throws: PartialStudyError.hostsMissing(5, of: 9)) { try Study(merging: [first]) }
        #expect(throws: PartialStudyError.hostTwice("akamai.com")) { try Study(merging: [first, first, second]) }
        let other = Study(history, parameters: Self.parameters { $0.seed = 2 }, part: (2, 2))
        #expect(throws: PartialStudyError.otherParameters) { try Study(merging: [first, other]) }
        let fewer = Study(history, strategies: [.leafKey], parameters: Self.parameters(), part: (2, 2))
        #expect(throws: PartialStudyError.otherStrategies) { try Study(merging: [first, fewer]) }
        let three = try Study(ChainHistory(ThreeHosts().load()), parameters: Self.parameters())
        #expect(throws: PartialStudyError.otherRecording) { try Study(merging: [first, three]) }
    }

    /// A part in which `old` is `new`, with the checksum as it was or made again by another implementation.
    private func part(_ old: String, _ new: String, isSummedAgain: Bool) throws -> Data {
        let lines = String(decoding: try Self.leafKeys.get(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2)
        let body = String(lines[1]).replacing(try Regex(old), maxReplacements: 1) { _ in new }
        #expect(body != lines[1])
        guard isSummedAgain else { return Data("\(lines[0])\n\(body)\n".utf8) }
        let sum = SHA256.hash(data: Data(body.utf8)).map { String(format: "%02x", $0) }.joined()
        let header = lines[0].replacing(/"sha256":"[0-9a-f]+"/) { _ in "\"sha256\":\"\(sum)\"" }
        return Data("\(header)\n\(body)\n".utf8)
    }

    @Test(
        "A changed number is an error",
        arguments: [
            (#""keys":\d+"#, #""keys":-1"#), (#""keys":\d+"#, #""keys":4611686018427387904"#),
            (#""pins":\d+"#, #""pins":-1"#),
            (#""outages":\d+"#, #""outages":-1"#), (#""observedDays":[\d.]+"#, #""observedDays":-1"#),
            (#""observedDays":[\d.]+"#, #""observedDays":1e300"#), (#""mostPins":\d+"#, #""mostPins":0"#),
            (#""userDays":\{"early":[\d.]+"#, #""userDays":{"early":-5"#),
            (#""first":\d+"#, #""first":9223372036854775807"#), (#""captures":\d+"#, #""captures":-9"#),
            (#""reactionDays":[\d.]+"#, #""reactionDays":-1"#), (#""keys":\d+"#, #""keys":2,"keys":3"#),
        ]
    )
    func changedNumbers(old: String, new: String) throws {
        let changed = try part(old, new, isSummedAgain: false)
        #expect(throws: PartialStudyError.damaged) { try Study(partial: changed) }
        // Who makes the checksum again meets the ranges.
        let summed = try part(old, new, isSummedAgain: true)
        #expect(throws: PartialStudyError.self) { try Study(partial: summed) }
    }

    @Test("A part that was changed within its ranges and summed again is read, so the test above is about ranges")
    func summedAgain() throws {
        _ = try Study(partial: part(#""mostPins":\d+"#, #""mostPins":77"#, isSummedAgain: true))
    }

    @Test func aPartThatWasCutShortIsDamaged() throws {
        let data = try part(#""mostPins":\d+"#, #""mostPins":77"#, isSummedAgain: true)
        #expect(throws: PartialStudyError.damaged) { try Study(partial: data.dropLast(10)) }
        #expect(throws: PartialStudyError.notAPartialStudy) { try Study(partial: data.prefix(40)) }
    }

    @Test("Not a partial study", arguments: ["", "{}", "[1]", #"{"format":"sallyport-partial-study","version":1}"#])
    func malformed(text: String) {
        #expect(throws: PartialStudyError.notAPartialStudy) { try Study(partial: Data(text.utf8)) }
    }
}
