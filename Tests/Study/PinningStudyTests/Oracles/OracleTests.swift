import Corpora
import Foundation
import PinningStudy
import TestLimits
import TestSupport
import Testing

@Suite(.inTurn, .enabled(if: PythonPeer.isInstalled, "\(PythonPeer.isMissing)"))
struct OracleTests {
    static let exponential = #""curve":"exponential","halfLifeDays":7"#
    static let points =
        #""curve":"points","points":[{"days":0,"share":0.1},{"days":3,"share":0.5},{"days":40,"share":0.9}]"#

    /// All users get the pins in the end.
    static let ending = #""curve":"points","points":[{"days":0,"share":0.5},{"days":30,"share":1}]"#

    static func parameters(curve: String, reaction: Double, grid: Int?, resamplings: Int, seed: UInt64) -> String {
        let grid = grid.map(String.init) ?? "null"
        return
            "{\(curve),\"reactionDays\":\(reaction),\"gridDays\":\(grid),\"resamplings\":\(resamplings),\"seed\":\(seed)}"
    }

    @Test(
        "An independent program gets the same numbers",
        arguments: [
            (UpdateCurve.exponential(halfLifeDays: 7), exponential, 1.0, Int?.none, UInt64(1)),
            (.immediate, #""curve":"immediate""#, 0, 30, 2),
            (
                .points([
                    .init(days: 0, share: 0.1), .init(days: 3, share: 0.5), .init(days: 40, share: 0.9),
                ]), points, 2.5, nil, 3
            ),
            (.points([.init(days: 0, share: 0.5), .init(days: 30, share: 1)]), ending, 1, 10, 4),
        ]
    )
    func publicSites(curve: UpdateCurve, text: String, reaction: Double, grid: Int?, seed: UInt64) throws {
        try compare(ShippedChainRecording.publicSites.folder(), curve, text, reaction, grid, seed)
    }

    @Test(
        "The same, on two hundred hosts with impostors, leaks and a fallen authority",
        .enabled(if: Effort.isThorough, "SALLYPORT_THOROUGH=1")
    )
    func lab() throws {
        let curve = UpdateCurve.exponential(halfLifeDays: 7)
        try compare(ShippedChainRecording.lab.folder(), curve, Self.exponential, 1, nil, 4, resamplings: 4)
    }

    @Test("The same, on chains of impostors, spans and reserve keys", arguments: Effort.seeds(2, thorough: 6))
    func generated(seed: UInt64) throws {
        let recording = GeneratedRecording(seed: seed, hosts: 7)
        defer { recording.remove() }
        let curve = UpdateCurve.exponential(halfLifeDays: 7)
        try compare(recording.folder, curve, Self.exponential, 1, seed % 2 == 0 ? 45 : nil, seed)
    }

    private func compare(
        _ folder: URL,
        _ curve: UpdateCurve,
        _ text: String,
        _ reaction: Double,
        _ grid: Int?,
        _ seed: UInt64,
        resamplings: Int = 40
    ) throws {
        var parameters = StudyParameters()
        parameters.curve = curve
        parameters.reactionDays = reaction
        parameters.starts = grid.map { .grid(days: $0) } ?? .everyCapture
        parameters.resamplings = resamplings
        parameters.seed = seed
        parameters.latencyRounds = 0
        let study = try Study(ChainHistory(ChainRecording(folder: folder)), parameters: parameters)
        let found = try JSONSerialization.jsonObject(with: JSONEncoder().encode(StudyReport(study)))
        let expected = try PythonPeer.study(
            folder,
            parameters: Self.parameters(
                curve: text,
                reaction: reaction,
                grid: grid,
                resamplings: resamplings,
                seed: seed
            )
        )
        #expect(JSONComparison.leafCount(expected) > 1000)
        let differences = JSONComparison.differences(found, expected)
        #expect(differences.prefix(8).joined(separator: "\n") == "")
    }
}
