/// Finds YAML anchors before the YAML parser runs.
///
/// A profile needs no anchors. With nested aliases a short text expands to a huge number of nodes, and a parser that
/// hashes such a node as a key never ends. The scan does not recognise quotes and comments: every `&` with a name after
/// it, at a position where an anchor can begin, counts as an anchor.
enum AnchorScan {
    /// The line number of the first anchor in `text`, from 1, or `nil`.
    static func line(ofFirstAnchorIn text: String) -> Int? {
        var line = 1
        var previous = UInt8(ascii: "\n")
        var isOpen = false
        for byte in text.utf8 {
            if isOpen, !isBlank(byte) { return line }
            isOpen = byte == UInt8(ascii: "&") && (isBlank(previous) || "[{,:?".utf8.contains(previous))
            if byte == UInt8(ascii: "\n") { line += 1 }
            previous = byte
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }
}
