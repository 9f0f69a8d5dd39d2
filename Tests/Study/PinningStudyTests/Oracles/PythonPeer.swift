import Foundation
import TestSupport

/// The Python that has lifelines, and the program that repeats the study with it.
enum PythonPeer {
    static let isMissing = "missing: python3 with the PyPI package lifelines"

    /// Looked for once.
    static let isInstalled = (try? run(["-c", "import lifelines"])) != nil

    struct Failure: Error {
        let text: String
    }

    /// What the program says of a recording, as a JSON value.
    static func study(_ recording: URL, parameters: String) throws -> Any {
        let script = HelperFile.url("study_oracle.py")
        return try JSONSerialization.jsonObject(with: run([script.path, recording.path, parameters]))
    }

    @discardableResult
    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Read before waiting: a full pipe would stop the other side.
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "python3 ended with \(process.terminationStatus)")
        }
        return data
    }
}
