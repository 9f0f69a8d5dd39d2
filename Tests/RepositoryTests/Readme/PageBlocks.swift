import Foundation

/// A Swift block of a page.
struct PageBlock: CustomStringConvertible {
    /// The name of the page's file.
    let page: String
    /// What a reader imports for it: what it names, or what the block before it on the page names.
    let imports: Set<Substring>
    /// Its lines without imports.
    let code: [Substring]

    var description: String { "\(page): \(code.first ?? "")" }

    /// The blocks of a page in their order.
    static func all(of page: (path: String, text: String)) -> [PageBlock] {
        var imports: Set<Substring> = []
        return page.text.components(separatedBy: "```swift\n").dropFirst().map { rest in
            let lines = rest.components(separatedBy: "```")[0].split(separator: "\n")
            let named = importedModules(of: lines)
            if !named.isEmpty { imports = named }
            return PageBlock(
                page: URL(filePath: page.path).lastPathComponent,
                imports: imports,
                code: lines.filter { !$0.hasPrefix("import ") }
            )
        }
    }
}

/// A file with snippets of pages, word for word, and with the names around them that pages leave to their reader.
struct SnippetFile {
    let path: String
    let text: String
    private let lines: [Substring]
    /// The text without white space, so that the formatter's line breaks do not count, and the line of each letter.
    private let letters: String
    private let lineOfLetter: [Int]

    init(path: String, text: String) {
        (self.path, self.text) = (path, text)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var (letters, lineOfLetter) = ("", [Int]())
        for (number, line) in lines.enumerated() {
            for letter in line where !letter.isWhitespace {
                letters.append(letter)
                lineOfLetter.append(number)
            }
        }
        (self.letters, self.lineOfLetter) = (letters, lineOfLetter)
    }

    /// What the file imports. Beside Foundation it says what Linux needs.
    var imports: Set<Substring> { importedModules(of: lines) }

    /// Whether the file says that it has snippets of a page.
    func names(_ page: String) -> Bool { text.contains(page == "README.md" ? "README" : page) }

    /// The lines at which a block begins.
    func places(of block: PageBlock) -> [Int] {
        let wanted = block.code.joined().filter { !$0.isWhitespace }
        return letters.ranges(of: wanted).map { range in
            lineOfLetter[letters.distance(from: letters.startIndex, to: range.lowerBound)]
        }
    }

    /// How a caller writes the function or the type in which a line stands, or which begins there: `Flows.signedIn(`.
    func callable(at line: Int) -> String? {
        let declared = lines[...line].reversed().lazy.compactMap { Self.declaration(in: $0) }.first
        guard let (indentation, kind, name) = declared else { return nil }
        guard kind == "func", indentation > 0 else { return "\(name)(" }
        let outer = lines[..<line].reversed().lazy.compactMap { Self.declaration(in: $0) }.first {
            $0.kind != "func" && $0.indentation < indentation
        }
        return "\(outer?.name ?? "").\(name)("
    }

    private static func declaration(in line: Substring) -> (indentation: Int, kind: Substring, name: Substring)? {
        let match = line.prefixMatch(of: /( *)(?:private |static |final |mutating )*(func|enum|struct|class) (\w+)/)
        return match.map { ($0.1.count, $0.2, $0.3) }
    }
}

/// The modules that lines import.
private func importedModules(of lines: [Substring]) -> Set<Substring> {
    let modules = lines.filter { $0.hasPrefix("import ") }.map { $0.split(separator: " ")[1] }
    return Set(modules).subtracting(["FoundationNetworking"])
}
