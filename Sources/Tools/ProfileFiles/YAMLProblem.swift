internal import Yams

/// Why a text is not YAML, in our words: the library's own speak of its scanner and its tokens.
struct YAMLProblem {
    /// From 1; absent where the library names none.
    let line: Int?
    /// What is wrong and what to do.
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
            line = context.mark.line
            let names = keys.map { $0.prefix(40) }.joined(separator: "', '")
            text = "the field '\(names)' stands twice: remove one"
        default:
            line = nil
            text = "is not YAML: correct its syntax"
        }
    }

    /// The library's messages by words that stand in them, as libyaml 0.2.5 has them in scanner.c and parser.c.
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
            "a ':' stands where no field can begin: put the text in quotes, or correct the indent"
        ),
        ("unexpected end of stream", "a text in quotes does not end: write the closing quote"),
        ("unexpected document indicator", "a text in quotes does not end: write the closing quote"),
        (
            "cannot start any token",
            "a character stands where no value can begin: indent with blanks, and put texts in quotes"
        ),
        ("tab character", "a tab stands in the indent: indent with blanks"),
        ("could not find expected ':'", "a field has no ':': write one behind its name"),
        ("expected key", "the indent is not that of the fields above, or a field is not finished: correct it"),
        ("expected '-' indicator", "the indent is not that of the list above: correct it"),
        (
            "block sequence entries are not allowed",
            "a '-' stands where no list can begin: put the list on lines of its own"
        ),
        ("found another document", "a second document begins here: keep one to a file"),
        ("undefined alias", "anchors and aliases are not read here: write the value where it is needed"),
        ("incompatible YAML document", "a directive of another version of YAML: remove the line that begins with '%'"),
        (
            "escape",
            "an escape in a text in quotes is not one of YAML: write '\\\\' for a backslash, or use single quotes"
        ),
    ]

    private static func sentence(for problem: String) -> String {
        sentences.first { problem.contains($0.words) }?.sentence
            ?? "is not YAML here, or in the line before: correct its syntax"
    }
}
