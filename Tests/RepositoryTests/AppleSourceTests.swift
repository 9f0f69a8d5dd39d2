import Foundation
import Testing

/// The page about Apple's systems lists the source that only their compilers see, and each longer part has a file of its own.
@Suite struct AppleSourceTests {
    /// The lines that a file may have beside those of Linux.
    private static let linesInSharedFiles = 3

    @Test("The page's table names the files with source for Apple's systems alone, by target")
    func table() throws {
        let page = try Repository.text("Sources/Handling/Sallyport/Sallyport.docc/OnApplesSystems.md")
        var listed: Set<String> = []
        for row in page.matches(of: /(?m)^\| (\w+) \| (.*) \| (.*) \|$/) where row.output.0.contains(".swift`") {
            let own = row.output.2.matches(of: /`(\S+)`/).map { String($0.output.1) }
            let shared = row.output.3.matches(of: /`(\S+)`/).map { String($0.output.1) }
            #expect(own.allSatisfy { $0.hasSuffix("+Darwin.swift") }, "\(own)")
            #expect(!shared.contains { $0.hasSuffix("+Darwin.swift") }, "\(shared)")
            listed.formUnion((own + shared).map { "\(row.output.1) \($0)" })
        }
        var found: Set<String> = []
        for (file, text) in try Repository.swiftFiles(below: "Sources")
        where text.contains("#if ") && AppleLines(of: text).longest > 0 {
            let folders = file.split(separator: "/")
            let target = folders[1] == "Digests" ? folders[2] : folders[1]
            found.insert("\(target) \(folders[folders.count - 1])")
        }
        #expect(found == listed)
    }

    @Test("A part of more than three lines has a file of its own, which has nothing else")
    func ownFiles() throws {
        for (file, text) in try Repository.swiftFiles(below: "Sources") {
            guard text.contains("#if ") || file.hasSuffix("+Darwin.swift") else { continue }
            let lines = AppleLines(of: text)
            if file.hasSuffix("+Darwin.swift") {
                #expect(lines.others == 0, "\(file): a line is outside of #if canImport(…)")
            } else {
                #expect(lines.longest <= Self.linesInSharedFiles, "\(file): move the part to a file …+Darwin.swift")
            }
        }
    }

    @Test("Lines are counted by the branch that holds them")
    func counting() {
        let text = """
            #if canImport(Darwin)
                internal import Darwin
            #elseif canImport(Musl)
                internal import Musl
            #else
                internal import Glibc
            #endif

            #if canImport(Darwin)
                // A comment is no source.
                let a = 1
                let b = 2
            #else
                let a = 3
            #endif
            #if os(Linux)
                let c = 4
            #else
                #if DEBUG
                    let c = 5
                #endif
            #endif
            #if !canImport(Security)
                let d = 6
            #endif
            """
        let lines = AppleLines(of: text)
        #expect(lines.longest == 2)
        #expect(lines.others == 3)
        #expect(AppleLines(of: "#if !canImport(Security)\nlet e = 7\n#else\nlet e = 8\n#endif").longest == 1)
        #expect(
            AppleLines(of: "#if canImport(Glibc)\nlet f = 9\n#elseif canImport(Musl)\nlet f = 10\n#endif").longest == 0
        )
    }
}

/// The lines of a Swift file that compilers for Apple's systems see and the one for Linux with glibc does not.
///
/// Imports, comments and empty lines do not count.
private struct AppleLines {
    /// The lines of the longest part.
    private(set) var longest = 0
    /// The lines that other compilers see.
    private(set) var others = 0

    init(of text: String) {
        // For each open #if: whether the branch is Apple's alone, and whether an earlier branch was that of Linux.
        var branches: [(isApples: Bool, isLinuxDone: Bool)] = []
        var count = 0
        for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line.hasPrefix("#if ") {
                branches.append((Self.isApples(line), Self.isLinux(line)))
            } else if line.hasPrefix("#elseif "), let branch = branches.popLast() {
                branches.append((Self.isApples(line), branch.isLinuxDone || Self.isLinux(line)))
            } else if line == "#else", let branch = branches.popLast() {
                branches.append((branch.isLinuxDone, false))
            } else if line == "#endif" {
                branches.removeLast()
            } else if !line.isEmpty, !line.hasPrefix("//"), !Self.isImport(line) {
                guard branches.contains(where: \.isApples) else {
                    others += 1
                    continue
                }
                count += 1
                longest = max(longest, count)
                continue
            }
            if !branches.contains(where: \.isApples) || line.hasPrefix("#e") { count = 0 }
        }
    }

    private static func isImport(_ line: String) -> Bool {
        // The plain search first, because a regular expression for each line of the package takes seconds.
        line.contains("import ") && line.wholeMatch(of: /(@\w+ )?(\w+ )?import .*/) != nil
    }

    private static func isApples(_ line: String) -> Bool {
        line.contains(#/ canImport\((Darwin|Security)\)| os\((macOS|iOS)\)/#)
    }

    private static func isLinux(_ line: String) -> Bool {
        let ours = #/ os\(Linux\)| canImport\((Glibc|FoundationNetworking|FoundationEssentials)\)/#
        return line.contains(ours) || line.contains(#/ !canImport\((Darwin|Security)\)/#)
    }
}
