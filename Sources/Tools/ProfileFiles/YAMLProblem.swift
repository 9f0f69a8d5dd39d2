internal import Yams

/// Why a text is not YAML. These messages replace those of libyaml, which describe its scanner and tokens.
struct YAMLProblem {
    /// From 1; `nil` if the library reports none.
    let line: Int?
    /// The problem and the remedy.
    let text: String

    /// Reads what `Yams.compose` threw for `yaml`.
    init(_ error: any Error, in yaml: String) {
        switch error {
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            line = mark.line
            text = Self.sentence(for: problem)
        case YamlError.reader(_, let offset, _, _):
            line = offset.map { 1 + yaml.unicodeScalars.prefix($0).count { $0 == "\n" } }
            text = "holds a control character: remove it"
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            line = keys.first.flatMap { Self.line(ofSecond: $0, from: context.mark, in: yaml) } ?? context.mark.line
            let names = keys.map { $0.prefix(40) }.joined(separator: "', '")
            text = "the field '\(names)' occurs twice: remove one"
        default:
            line = nil
            text = "is not YAML: correct its syntax"
        }
    }

    /// The line of the second field called `key` of a mapping with one field a line, which begins at `mark`; otherwise `nil`.
    private static func line(ofSecond key: String, from mark: Mark, in yaml: String) -> Int? {
        let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.indices.filter { index in
            index + 1 >= mark.line && lines[index].dropFirst(mark.column - 1).hasPrefix("\(key):")
        }.dropFirst().first.map { $0 + 1 }
    }

    /// The messages by words of the library's messages, as libyaml 0.2.5 has them in scanner.c and parser.c.
    private static let sentences: [(words: String, sentence: String)] = [
        (
            "expected ',' or ']'",
            "a list that begins with '[' does not end: write ',' between elements and ']' at the end"
        ),
        (
            "expected ',' or '}'",
            "a mapping that begins with '{' does not end: write ',' between fields and '}' at the end"
        ),
        (
            "mapping values are not allowed",
            "unexpected ':': put the text in quotes, or correct the indent"
        ),
        ("unexpected end of stream", "a text in quotes does not end: write the closing quote"),
        ("unexpected document indicator", "a text in quotes does not end: write the closing quote"),
        (
            "cannot start any token",
            "unexpected character: indent with blanks, and put texts in quotes"
        ),
        ("tab character", "the indent has a tab: indent with blanks"),
        ("could not find expected ':'", "a field has no ':': write one after its name"),
        ("expected key", "the indent is not that of the fields above, or a field is not finished: correct it"),
        ("expected '-' indicator", "the indent is not that of the list above: correct it"),
        (
            "block sequence entries are not allowed",
            "unexpected '-': put the list on lines of its own"
        ),
        ("found another document", "a second document begins here: keep one to a file"),
        ("undefined alias", "anchors and aliases are not read here: write the value where it is needed"),
        ("incompatible YAML document", "a directive of another version of YAML: remove the line that begins with '%'"),
        (
            "escape",
            "unknown escape in a text in quotes: write '\\\\' for a backslash, or use single quotes"
        ),
    ]

    private static func sentence(for problem: String) -> String {
        sentences.first { problem.contains($0.words) }?.sentence
            ?? "is not YAML here or in the line before: correct its syntax"
    }
}
