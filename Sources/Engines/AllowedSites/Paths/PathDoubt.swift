/// Why servers may read a path as different resources.
public enum PathDoubt: Equatable, Sendable {
    /// The path does not begin with `/`.
    case noLeadingSlash
    /// A segment `.` or `..`, plain, escaped or followed by parameters.
    case dotSegment
    /// Two slashes in a row, which many servers read as one.
    case emptySegment
    /// An escape that is malformed, over-long UTF-8, a control, or one of `/ \ % ? # ;`.
    case escape
    /// A raw control, space, `\` or byte above 126.
    case byte
}

extension PathDoubt {
    /// The first doubt about `path` and its offset, or `nil` if all servers read the path alike.
    ///
    /// - Complexity: O(*n*) in the length of `path`; allocates nothing.
    static func first(in path: String) -> (doubt: PathDoubt, offset: Int)? {
        first(in: path.utf8)
    }

    /// The same for the bytes of a path.
    static func first(in path: some Sequence<UInt8>) -> (doubt: PathDoubt, offset: Int)? {
        var units = PathUnits(path)
        guard let start = units.next() else { return nil }
        guard start == .slash else { return (.noLeadingSlash, 0) }
        var segment = Segment()
        var precedingEscape: UInt8?
        while let unit = units.next() {
            switch unit {
            case .malformed: return (.escape, units.offset)
            case .escaped(let byte):
                guard !isDoubtful(escape: byte, after: precedingEscape) else { return (.escape, units.offset) }
                segment.append(byte)
                precedingEscape = byte
                continue
            case .slash:
                if let doubt = segment.doubt(isLast: false) { return (doubt, units.offset) }
                segment = Segment()
            case .semicolon:
                if let doubt = segment.doubt(isLast: false) { return (doubt, units.offset) }
                segment.isInParameters = true
            case .plain(let byte):
                guard byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "\\") else { return (.byte, units.offset) }
                segment.append(byte)
            }
            precedingEscape = nil
        }
        return segment.doubt(isLast: true).map { ($0, units.offset) }
    }

    /// The state of the current segment.
    private struct Segment {
        private var length = 0
        private var dots = 0
        var isInParameters = false

        mutating func append(_ byte: UInt8) {
            guard !isInParameters else { return }
            length += 1
            if byte == UInt8(ascii: ".") { dots += 1 }
        }

        func doubt(isLast: Bool) -> PathDoubt? {
            if isInParameters { return nil }
            if length == 0 { return isLast ? nil : .emptySegment }
            return length == dots && length <= 2 ? .dotSegment : nil
        }
    }

    private static func isDoubtful(escape byte: UInt8, after preceding: UInt8?) -> Bool {
        switch byte {
        case ..<0x20, 0x7f, UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "%"), UInt8(ascii: "?"),
            UInt8(ascii: "#"), UInt8(ascii: ";"):
            true
        // RFC 3629 3: these bytes never occur in UTF-8, or begin an over-long sequence, such as %c0%af for a slash.
        case 0xc0, 0xc1, 0xf5...: true
        case 0x80..<0xa0 where preceding == 0xe0: true
        case 0x80..<0x90 where preceding == 0xf0: true
        default: false
        }
    }
}

extension PathDoubt: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .noLeadingSlash: "the path does not begin with '/'"
        case .dotSegment: "servers resolve '.' and '..' segments: write the resolved path"
        case .emptySegment: "many servers read '//' as '/': write one slash"
        case .escape: "this escape is malformed or encodes a delimiter, and servers read it differently: remove it"
        case .byte: "a path cannot contain this byte: percent-encode it"
        }
    }
}
