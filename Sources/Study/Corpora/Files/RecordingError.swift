internal import WireFormat

/// Why a recording cannot be read.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file or folder.
    public let path: String
    /// The line, from 1; absent when the whole file is meant.
    public let line: Int?
    /// What is wrong and what to do.
    public let problem: String

    package init(path: String, line: Int?, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    /// A file or folder that the system does not let us read.
    static func unreadable(_ path: String, _ reason: FileReadError) -> Self {
        let problem =
            "cannot be read (\(reason)): name a regular file that you may read; "
            + "a recording needs all of its files"
        return Self(path: path, line: nil, problem: problem)
    }

    /// One line: where, what, and what to do.
    public var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}
