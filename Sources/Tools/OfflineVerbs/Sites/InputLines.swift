#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Reads the lines of standard input in large pieces, and returns many lines at once as a range of one buffer.
///
/// A `String` or a `Data` for each line would cost more than its verdict.
@safe
struct InputLines {
    /// The longest line, in bytes, with its end; also the largest piece.
    static let maximumLength = 1 << 20

    /// Reads into the buffer from an offset on, and says how many bytes came.
    typealias Source = (inout [UInt8], Int) throws(InputError) -> Int

    /// The buffer of the lines; changes with every `fill()`.
    private(set) var bytes = [UInt8](repeating: 0, count: maximumLength)
    private let source: Source
    private var start = 0
    private var end = 0
    private var isAtEnd = false

    init(_ source: @escaping Source = StandardInput.read) {
        self.source = source
    }

    /// Waits for more input and reads it; `false` at the end of the input, when every line was handed out.
    mutating func fill() throws(InputError) -> Bool {
        guard !isAtEnd else { return false }
        if start > 0 {
            for offset in start..<end { bytes[offset - start] = bytes[offset] }
            (start, end) = (0, end - start)
        }
        guard end < bytes.count else { throw .tooLong(limit: bytes.count) }
        let count = try source(&bytes, end)
        if count == 0 { isAtEnd = true }
        end += count
        return start < end
    }

    /// All complete lines in the buffer, with their line ends; at the end of the input, also a last line without one.
    mutating func takeLines() -> Range<Int> {
        let from = start
        start = end
        while !isAtEnd, start > from, bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return from..<start
    }

    /// Calls `body` with each line in `range` of `bytes`, without LF or CRLF.
    static func forEach(in bytes: [UInt8], _ range: Range<Int>, _ body: (Range<Int>) -> Void) {
        var start = range.lowerBound
        while start < range.upperBound {
            let newline = firstNewline(in: bytes, start..<range.upperBound) ?? range.upperBound
            let hasReturn = newline > start && bytes[newline - 1] == UInt8(ascii: "\r")
            body(start..<(hasReturn ? newline - 1 : newline))
            start = newline + 1
        }
    }

    private static func firstNewline(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        precondition(bytes.indices.contains(range.lowerBound) && range.upperBound <= bytes.count)
        return unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return nil }
            // In bounds: the precondition above. A loop over the bytes would be a third of the time for a line.
            guard let found = unsafe memchr(base + range.lowerBound, 10, range.count) else { return nil }
            return unsafe base.distance(to: UnsafeRawPointer(found))
        }
    }
}
