internal import Foundation
package import WireFormat

/// Why a file could not be read or written, and what to do. The reason is determined after the failure, because the
/// system's libraries report it in different words.
package enum FileProblem {
    /// Whether the arguments name standard input.
    package static func isStandardInput(_ file: String) -> Bool { file == "-" }

    /// The name of an argument's file in messages: its path, or `standard input` for `-`.
    package static func name(of file: String) -> String { isStandardInput(file) ? "standard input" : file }

    /// Why the file at `path`, or standard input for `-`, could not be read.
    package static func reading(_ path: String) -> String {
        guard !isStandardInput(path) else { return "it cannot be read; check where it comes from" }
        do throws(FileReadError) {
            switch try FileReading.kind(of: path) {
            case .folder: return "this is a folder; name a file in it"
            case .other: return "it cannot be read to its end; check what writes to it"
            case .file: try FileReading.check(path)
            }
        } catch {
            return reading(error)
        }
        return "it cannot be read to its end; check the disk"
    }

    /// Why a file could not be opened.
    package static func reading(_ error: FileReadError) -> String {
        switch error.errno {
        case ENOENT: "the file does not exist; check the path"
        case EISDIR: "this is a folder; name a file in it"
        case EACCES: "this user may not read it; check its permissions"
        default: "it cannot be read (\(error)); check the path"
        }
    }

    /// Why a file could not be replaced; `errno` is the system's reason.
    package static func writing(errno: Int32) -> String {
        "cannot be written (\(SystemReason.text(errno))): name a file in a folder of yours with space left"
    }
}
