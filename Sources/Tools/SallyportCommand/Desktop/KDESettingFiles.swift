internal import Foundation
internal import OfflineVerbs
internal import WireFormat

/// The files `kioslaverc` of KDE: that of the user and those of the system (XDG Base Directory Specification).
///
/// A key of the user's file replaces the same key of the system's, unless that is marked `[$i]`.
enum KDESettingFiles {
    private static let file = "kioslaverc"
    private static let group = "[Proxy Settings]"
    private static let mostBytes = 1 << 18

    /// The folders of the session; the first counts most.
    static func folders(_ environment: [String: String]) -> [String] {
        let named = environment["XDG_CONFIG_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/etc/xdg"
        return [StorePlace.base("XDG_CONFIG_HOME", otherwise: ".config")].compactMap(\.self)
            + named.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    /// The keys of the group `Proxy Settings`. Blocks the calling thread.
    ///
    /// - Throws: ``DesktopProblem``, also if no folder has the file.
    static func values(in folders: [String]) throws(DesktopProblem) -> [String: String] {
        let paths = folders.map { "\($0)/\(file)" }.filter { FileReading.isTaken($0) }
        guard !paths.isEmpty else {
            throw DesktopProblem(
                .kde,
                "there is no \(file) in \(folders.joined(separator: ", ").inOneLine): set the proxy in System Settings, or name it with another option"
            )
        }
        var texts: [String] = []
        for path in paths.reversed() {
            do throws(FileReadError) {
                texts.append(String(decoding: try FileReading.start(of: path, count: mostBytes), as: UTF8.self))
            } catch {
                throw DesktopProblem(.kde, "\(path.inOneLine): \(FileProblem.reading(error))")
            }
        }
        return values(of: texts)
    }

    /// - Parameter texts: those of the files; a later one counts more.
    static func values(of texts: [String]) -> [String: String] {
        var values: [String: String] = [:]
        var fixed: Set<String> = []
        for text in texts {
            var isInGroup = false
            // Two lines of one file may have the same key.
            var fixedHere = fixed
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.trimmingCharacters(in: .whitespaces)
                if line.hasPrefix("[") {
                    isInGroup = line == group || line == "\(group)[$i]"
                    // No file that counts more changes such a group.
                    if isInGroup, line != group { fixedHere.insert("") }
                } else if isInGroup, !fixed.contains(""), let entry = Entry(line), !fixed.contains(entry.key) {
                    values[entry.key] = entry.value
                    if entry.isFixed { fixedHere.insert(entry.key) }
                }
            }
            fixed = fixedHere
        }
        return values
    }

    /// A line `key=value` or `key[$i]=value`.
    private struct Entry {
        let key: String
        let value: String
        let isFixed: Bool

        init?(_ line: String) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !line.hasPrefix("#") else { return nil }
            let names = parts[0].split(separator: "[", maxSplits: 1)
            let mark = names.count == 2 ? names[1] : "$"
            // Another mark is a language.
            guard let name = names.first, mark.hasPrefix("$") else { return nil }
            key = name.trimmingCharacters(in: .whitespaces)
            value = parts[1].trimmingCharacters(in: .whitespaces)
            isFixed = mark.contains("i")
        }
    }
}
