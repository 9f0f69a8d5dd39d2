import Foundation
import TestSupport
import Testing

/// libpsl, asked through the Python interpreter of this machine.
enum PublicSuffixPeer {
    static let isMissing: Comment = "missing: apt-get install libpsl5 python3, pip install publicsuffixlist"

    static let isInstalled: Bool = (try? answers([])) != nil

    struct Failure: Error { var status: Int32 }

    /// Whether each of `names` is a public suffix, and whether it is one of a registry.
    static func answers(_ names: [String]) throws -> [(isSuffix: Bool, isOfRegistry: Bool)] {
        let input = TemporaryFolder.place("names")
        try Data(names.map { $0 + "\n" }.joined().utf8).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", HelperFile.path("libpsl_answers.py")]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return data.split(separator: UInt8(ascii: "\n")).map { digits in
            (digits.first == UInt8(ascii: "1"), digits.last == UInt8(ascii: "1"))
        }
    }
}
