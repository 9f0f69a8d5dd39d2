import Foundation
import TestLimits
import TestSupport
import Testing

@testable import ChainSources

/// What x509-limbo says of servers' chains; `Limbo/make_cases.py` made the file from its source (Apache License 2.0).
@Suite(.inTurn) struct LimboValidationTests {
    private struct Case {
        let name: String
        let isAccepted: Bool
        let host: String
        let time: Int64
        let leaf: [UInt8]
        let others: [[UInt8]]
        let roots: [[UInt8]]
    }

    private static func cases() throws -> [Case] {
        func certificates(_ text: Substring) throws -> [[UInt8]] {
            try text.split(separator: ",").map { Array(try #require(Data(base64Encoded: String($0)))) }
        }
        let text = try String(contentsOf: HelperFile.url("Limbo/cases.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(fields.count == 7)
            return Case(
                name: String(fields[0]),
                isAccepted: fields[1] == "accepted",
                host: String(fields[2]),
                time: try #require(Int64(fields[3])),
                leaf: try #require(try certificates(fields[4]).first),
                others: try certificates(fields[5]),
                roots: try certificates(fields[6])
            )
        }
    }

    /// The cases of which we say something else, each with its reason; `differences.tsv` beside the cases.
    private static func differences() throws -> [String: String] {
        let text = try String(contentsOf: HelperFile.url("Limbo/differences.tsv"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: "\t").map(String.init)
        }
        return Dictionary(uniqueKeysWithValues: lines.map { ($0[0], $0[1]) })
    }

    @Test("Every case, apart from the differences that are listed with their reasons") func everyCase() async throws {
        let cases = try Self.cases()
        let differences = try Self.differences()
        #expect(cases.count == 161)
        #expect(Set(differences.keys).isSubset(of: Set(cases.map(\.name))))
        var found: [String] = []
        for test in cases {
            let validator = ChainValidator(roots: test.roots)
            let outcome = await validator.validate([test.leaf] + test.others, host: test.host, at: test.time)
            let isAccepted = if case .validated = outcome { true } else { false }
            guard isAccepted != test.isAccepted else { continue }
            found.append(test.name)
            #expect(differences[test.name] != nil, "\(test.name): \(outcome)")
        }
        #expect(Set(differences.keys).subtracting(found).isEmpty, "these are no differences any more")
    }
}
