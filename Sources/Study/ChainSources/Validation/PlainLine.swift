/// Text of another program, as one line for a note.
enum PlainLine {
    /// The most characters that are kept.
    static let mostCharacters = 160

    /// The text's first characters; those that are not printable ASCII are `?`.
    static func text(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars.prefix(mostCharacters).map { (0x20...0x7E).contains($0.value) ? $0 : "?" }
        return String(String.UnicodeScalarView(scalars))
    }
}
