internal import Foundation

/// Where a run was made.
enum Machine {
    /// Date, processor, system and commit.
    static var about: String {
        let date = Date().formatted(.iso8601)
        let information = ProcessInfo.processInfo
        let parts = [
            date, processor ?? "unknown processor", "\(information.activeProcessorCount) cores",
            information.operatingSystemVersionString, commit.map { "commit \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// Writes a line to standard error.
    static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    private static var processor: String? {
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The commit of the folder that the program is started in, from git's own files.
    private static var commit: String? {
        guard let head = try? String(contentsOfFile: ".git/HEAD", encoding: .utf8) else { return nil }
        let text = head.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix("ref: ") else { return String(text.prefix(7)) }
        let hash = try? String(contentsOfFile: ".git/" + text.dropFirst(5), encoding: .utf8)
        return hash.map { String($0.prefix(7)) }
    }
}
