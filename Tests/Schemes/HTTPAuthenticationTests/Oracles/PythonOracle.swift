import Foundation
import TestSupport
import Testing

/// The scripts of this folder, run by the Python interpreter of this machine.
enum PythonOracle {
    static let isMissing: Comment = "python3 with SHA-512/256 in hashlib is missing"
    static let isThere =
        isContinuousIntegration || (try? run(["-c", "import hashlib; hashlib.new('sha512_256')"])) != nil

    static let hasNoRequests: Comment = "PyPI package requests is missing: pip install -r .ci/python-packages"
    static let hasRequests = isContinuousIntegration || (try? run(["-c", "import requests"])) != nil

    // In continuous integration all must be there: without them the tests fail.
    private static let isContinuousIntegration = ProcessInfo.processInfo.environment["CI"] == "true"

    struct Failure: Error { var status: Int32 }

    /// Runs a script of the helpers, and decodes each line that it prints.
    static func lines<Line: Decodable>(_ script: String, _ arguments: String...) throws -> [Line] {
        let output = try run([HelperFile.path(script)] + arguments)
        return try output.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Line.self, from: $0) }
    }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return data
    }
}
