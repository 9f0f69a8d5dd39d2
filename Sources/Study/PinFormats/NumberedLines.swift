/// The lines of a text with their numbers, each made when it is asked for: a text of nothing but line feeds has as many lines
/// as bytes.
struct NumberedLines: Sequence, IteratorProtocol {
    struct Line: Equatable {
        /// From 1.
        let number: Int
        /// Without CR and LF.
        let text: String

        var place: String { "line \(number)" }
    }

    private let bytes: [UInt8]
    /// Where the next line starts; behind the end for none.
    private var start = 0
    private var number = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Line? {
        guard start <= bytes.count else { return nil }
        // By bytes: to a Swift text CR and LF are one character, at which nothing would be cut.
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
        number += 1
        defer { start = end + 1 }
        return Line(number: number, text: String(decoding: bytes[start..<(hasReturn ? end - 1 : end)], as: UTF8.self))
    }
}
