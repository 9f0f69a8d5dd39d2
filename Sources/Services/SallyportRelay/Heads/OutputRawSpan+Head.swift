/// The pieces of a head. Written into one piece of memory, because each write to a `ByteBuffer` by itself costs more than its bytes.
extension OutputRawSpan {
    /// Appends a range of `bytes`.
    @inline(__always)
    mutating func append(_ range: Range<Int>, of bytes: Span<UInt8>) { append(bytes.extracting(range)) }

    /// Appends all of `bytes`.
    mutating func append(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        precondition(bytes.count <= freeCapacity, "a head has less room than it needs")
        // In bounds: checked above.
        unsafe withUnsafeMutableBytes { memory, count in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: source)
            }
            count &+= bytes.count
        }
    }

    /// Appends ASCII text.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        // In bounds: the pointer and the count are those of the text.
        append(unsafe Span(_unsafeStart: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends `Content-Length` with its line's end.
    mutating func appendLength(_ length: Int) {
        append("Content-Length: ")
        var divisor = 1
        while length / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(length / divisor % 10))
            divisor /= 10
        }
        append("\r\n")
    }
}
