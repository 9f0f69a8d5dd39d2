/// Finds YAML anchors before a YAML parser sees them.
///
/// A profile has no use for anchors, and nested aliases let a page of text stand for more nodes than any machine can
/// visit: a parser that merely hashes such a node as a key does not come back. The scan knows nothing of quotes and
/// comments; it takes every `&` for an anchor that stands where one can begin and has a name behind it.
enum AnchorScan {
    /// The line of the first anchor in `text`, counted from 1, or `nil`.
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
