internal import ArgumentParser
internal import Foundation
internal import RegressionGate

/// Which numbers are those of this place.
struct NumbersPlace: ParsableArguments {
    @Option(help: "The folder of committed numbers.")
    var numbers: String

    @Option(help: "The machine that ratios are committed for.")
    var machine: String

    var folder: NumbersFolder { NumbersFolder(path: numbers) }
}

/// The committed numbers of one compiler and architecture.
struct NumbersFolder {
    let path: String

    func file(of operation: String) -> String { path + "/" + CommittedNumbers.fileName(of: operation) }

    /// Empty if the file does not exist.
    func numbers(of operation: String) throws -> CommittedNumbers {
        guard let bytes = FileManager.default.contents(atPath: file(of: operation)) else { return CommittedNumbers() }
        return try CommittedNumbers(parsing: String(decoding: bytes, as: UTF8.self))
    }

    /// Those of every operation that has some.
    func all() throws -> [CommittedNumbers] {
        try files().map { file in
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/" + file))
            return try CommittedNumbers(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// What a file of measurements says.
    func measurements(at file: String) throws -> [(operation: String, measured: Measured)] {
        try Measured.read(try String(contentsOfFile: file, encoding: .utf8))
    }

    func write(_ numbers: CommittedNumbers, of operation: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let text = numbers.lines.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file(of: operation)))
    }

    /// Files of operations that are not among `names`.
    func orphans(besides names: [String]) -> [String] {
        let known = Set(names.map(CommittedNumbers.fileName(of:)))
        return files().filter { !known.contains($0) }
    }

    private func files() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted()
    }
}
