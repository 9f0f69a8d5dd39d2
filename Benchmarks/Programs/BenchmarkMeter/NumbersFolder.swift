internal import Foundation
internal import RegressionGate

/// The committed numbers of one compiler and architecture.
struct NumbersFolder {
    let path: String

    func file(of operation: String) -> String { path + "/" + CommittedNumbers.fileName(of: operation) }

    /// Nothing committed when there is no file.
    func numbers(of operation: String) throws -> CommittedNumbers {
        guard let bytes = FileManager.default.contents(atPath: file(of: operation)) else { return CommittedNumbers() }
        return try CommittedNumbers(parsing: String(decoding: bytes, as: UTF8.self))
    }

    func write(_ numbers: CommittedNumbers, of operation: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let text = numbers.lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(of: operation)))
    }

    /// Files of operations that are not among `names`.
    func orphans(besides names: [String]) -> [String] {
        let known = Set(names.map(CommittedNumbers.fileName(of:)))
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".txt") && !known.contains($0) }.sorted()
    }
}
