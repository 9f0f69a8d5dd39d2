/// Why a text is not a sequence of PEM blocks; lines count from 1.
public enum PEMError: Error, Equatable, Sendable {
    /// The text is larger than the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The text has more certificates than the limit; the first one beyond it begins at `line`.
    case tooManyCertificates(line: Int, limit: Int)
    /// The line looks like a boundary but is not one: indented, or without its five dashes at the end.
    case malformedBoundary(line: Int)
    /// A block begins inside the one that began at `outer`.
    case nestedBegin(line: Int, outer: Int)
    /// A block ends that never began, or that began under another label.
    case unexpectedEnd(line: Int)
    /// The block that begins at `line` never ends.
    case unterminated(line: Int)
    /// The certificate that begins at `line` has no contents.
    case emptyBlock(line: Int)
    /// The certificate that begins at `line` has more than `limit` bytes.
    case certificateTooLarge(line: Int, limit: Int)
    /// The line has a character that is not base64, or padding before the end.
    case invalidBase64(line: Int)
    /// The base64 of the certificate that begins at `line` does not end as it must.
    case invalidEnding(line: Int)
}

extension PEMError: CustomStringConvertible {
    /// One line: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "PEM text of \(bytes) bytes: at most \(limit) are read; split the file"
        case .tooManyCertificates(let line, let limit):
            "line \(line): more than \(limit) certificates in one text; split the file"
        case .malformedBoundary(let line):
            "line \(line): a boundary starts the line and reads -----BEGIN CERTIFICATE----- with five dashes each side"
        case .nestedBegin(let line, let outer):
            "line \(line): a block begins inside the one from line \(outer); is an END line missing?"
        case .unexpectedEnd(let line): "line \(line): this END belongs to no BEGIN above it"
        case .unterminated(let line):
            "line \(line): the block that begins here has no END; the text is cut short: give the whole text"
        case .emptyBlock(let line): "line \(line): the certificate that begins here is empty"
        case .certificateTooLarge(let line, let limit):
            "line \(line): the certificate that begins here has more than \(limit) bytes"
        case .invalidBase64(let line): "line \(line): not base64 (A-Z a-z 0-9 + /, '=' only at the very end)"
        case .invalidEnding(let line):
            "line \(line): the base64 of the certificate that begins here is cut short or has stray bits at its end"
        }
    }
}
