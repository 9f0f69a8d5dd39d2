import Foundation
import TestSupport
import Testing

/// Where we differ from published cases on purpose, and why: `differences.tsv`.
///
/// ```text
/// # word: the reason, once
/// file <tab> word <tab> what we say, a host or "refused" <tab> input as a JSON string
/// ```
struct IntendedDifferences {
    private var rows: [String: String] = [:]

    init(file: String) throws {
        let path = HelperFile.url("differences.tsv")
        var reasons: Set<String> = []
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("# ") {
                if let colon = line.firstIndex(of: ":") { reasons.insert(String(line[..<colon].dropFirst(2))) }
                continue
            }
            let columns = line.split(separator: "\t", maxSplits: 3).map(String.init)
            try #require(columns.count == 4 && reasons.contains(columns[1]), "\(line)")
            guard columns[0] == file else { continue }
            let input = try JSONDecoder().decode(String.self, from: Data(columns[3].utf8))
            try #require(rows.updateValue(columns[2], forKey: key(input)) == nil, "twice: \(line)")
        }
    }

    /// Compares what we say with what was published, case by case; every unexpected answer is an issue.
    func check(_ cases: [PublishedCase], _ answer: (String) -> String?) -> (same: Int, different: Int) {
        var (same, different) = (0, 0)
        for published in cases {
            let ours = answer(published.input)
            let isSame = ours == published.host
            let expected = rows[key(published.input)]
            if isSame { same += 1 } else { different += 1 }
            let input = published.input.debugDescription
            if isSame {
                if expected != nil { Issue.record("\(input) no longer differs: take its row away") }
            } else if expected != (ours ?? "refused") {
                Issue.record("\(input) is \(published.host ?? "refused") to them, \(ours ?? "refused") to us")
            }
        }
        return (same, different)
    }

    /// Texts that are canonically equivalent are one `String`, but not one case.
    private func key(_ input: String) -> String {
        input.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
