/// The lines of a text with their numbers. Lines are made on demand, because a text of line feeds has as many lines as
/// bytes.
struct NumberedLines: Sequence, IteratorProtocol {
    struct Line: Equatable {
        /// From 1.
        let number: Int
        /// Without CR and LF.
        let text: String

        var place: String { "line \(number)" }
    }

    private let bytes: [UInt8]
    /// The start of the next line; beyond the end after the last line.
    private var start = 0
    private var number = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Line? {
        guard start <= bytes.count else { return nil }
        // Split by bytes, because a Swift `Character` contains CR and LF together.
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        number += 1
        defer { start = end + 1 }
        return Line(number: number, text: String(decoding: bytes[start..<(hasReturn ? end - 1 : end)], as: UTF8.self))
    }
}
