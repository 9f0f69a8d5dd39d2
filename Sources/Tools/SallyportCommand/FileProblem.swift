internal import Foundation
internal import WireFormat

/// Why a file could not be read or written, and what to do: looked for when it failed, since the system's libraries say it
/// each in their own words.
enum FileProblem {
    /// Whether the arguments name standard input.
    static func isStandardInput(_ file: String) -> Bool { file == "-" }

    /// What people call a file that the arguments name.
    static func name(of file: String) -> String { isStandardInput(file) ? "standard input" : file }

    /// Why the file at `path`, or standard input for `-`, could not be read.
    static func reading(_ path: String) -> String {
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
    static func reading(_ error: FileReadError) -> String {
        switch error.errno {
        case ENOENT: "there is no such file; check the path"
        case EISDIR: "this is a folder; name a file in it"
        case EACCES: "this user may not read it; check its permissions"
        default: "it cannot be read (\(error)); check the path"
        }
    }

    /// Why a file could not be replaced; `errno` is the system's reason.
    static func writing(errno: Int32) -> String {
        "cannot be written (\(SystemReason.text(errno))): name a file in a folder of yours with space left"
    }
}
