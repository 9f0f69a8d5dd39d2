/// A text cut into lines, with their numbers.
func lines(_ text: [UInt8]) -> [(place: String, text: String)] {
    // By bytes: to a Swift text CR and LF are one character, at which nothing would be cut.
    text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().map { index, line in
        let bare = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        return ("line \(index + 1)", String(decoding: bare, as: UTF8.self))
    }
}
