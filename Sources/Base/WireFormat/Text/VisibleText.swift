/// Foreign text inside a message of one line.
package enum VisibleText {
    /// Characters of a foreign text that a message shows.
    package static let shownCharacters = 64

    /// The beginning of `text` in quotes, in printable ASCII: a server's text neither breaks the line nor steers a terminal.
    package static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(shownCharacters).map { $0.escaped(asASCII: true) }.joined()
        return "\"\(shown)\(text.unicodeScalars.count > shownCharacters ? "…" : "")\""
    }

    /// The beginning of a text of one line that quotes others: printable ASCII stays, and everything else is escaped.
    package static func line(_ text: String, atMost limit: Int = 512) -> String {
        text.unicodeScalars.prefix(limit)
            .map { (0x20...0x7E).contains($0.value) ? String($0) : $0.escaped(asASCII: true) }
            .joined()
    }

    /// A name as it is if it is of common characters and no longer than ``shownCharacters``, otherwise in quotes and escaped.
    package static func name(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isPlain && text.utf8.count <= shownCharacters ? text : quoted(text)
    }
}
