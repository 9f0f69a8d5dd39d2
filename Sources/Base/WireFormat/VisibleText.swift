/// Foreign text inside a message of one line.
package enum VisibleText {
    /// Characters of a foreign text that a message shows.
    package static let shownCharacters = 64

    /// The beginning of `text` in quotes, in printable ASCII: a server's text neither breaks the line nor steers a terminal.
    package static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(shownCharacters).map { $0.escaped(asASCII: true) }.joined()
        return "\"\(shown)\(text.unicodeScalars.count > shownCharacters ? "…" : "")\""
    }
}
