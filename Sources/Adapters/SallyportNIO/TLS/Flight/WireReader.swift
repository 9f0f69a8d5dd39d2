/// Reads the vectors and numbers of TLS (RFC 8446 section 3) from a range of bytes. Each function returns `nil` beyond the end.
struct WireReader {
    private let bytes: ArraySlice<UInt8>
    private var offset: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        offset = bytes.startIndex
    }

    var isAtEnd: Bool { offset == bytes.endIndex }

    mutating func readBytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.endIndex - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// A big-endian number of one to three bytes.
    mutating func number(_ count: Int) -> Int? { readBytes(count)?.reduce(0) { $0 << 8 | Int($1) } }

    /// A vector whose length has `count` bytes.
    mutating func vector(_ count: Int) -> ArraySlice<UInt8>? { number(count).flatMap { readBytes($0) } }
}
