import Foundation
import TestSupport
import Testing

/// pyspnego, an NTLM implementation by other people, run by the Python interpreter of this machine.
enum PythonPeer {
    static let isMissing: Comment = "pyspnego is missing: pip install pyspnego"

    static let isInstalled: Bool = (try? run(["-c", "import spnego"])) != nil

    static let isOneMissing: Comment = "pyspnego or impacket is missing: pip install -r .ci/python-packages"

    /// Whether impacket is there too. In continuous integration both must be: without them the tests fail there.
    static let hasBothPeers: Bool =
        ProcessInfo.processInfo.environment["CI"] == "true" || (try? run(["-c", "import spnego, impacket"])) != nil

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
