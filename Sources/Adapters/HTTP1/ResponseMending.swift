internal import NIOCore

/// Heads and trailers of responses in forms that a recipient may accept, written anew in the strict form (RFC 9112 sections 2.2, 5.1, 5.2 and 6.3).
///
/// A request in such a form is refused, because another server on the way may read it as two. A response that is refused keeps a person
/// from a page that other clients show; written anew, the next recipient cannot read it in another way than the relay.
enum ResponseMending {
    /// The head in all of `bytes` in the strict form; `nil` if it has a defect that must not be mended.
    ///
    /// - Blanks before colons are removed, and a field on several lines gets one line.
    /// - A line that ends with a line feed alone gets its carriage return. Other carriage returns and control characters, except zero, become
    ///   blanks (RFC 9110 section 5.5), and so does a tab after the status.
    /// - After CONNECT, the fields about a body that 2xx does not have are removed.
    /// - Equal lengths become one. A length beside chunks is removed, and so is `identity` (RFC 2616), which means no coding.
    static func mended(_ bytes: ByteBuffer, to method: RequestHead.Method) -> ByteBuffer? {
        let head = Array(bytes.readableBytesView)
        guard let end = head.firstIndex(of: 0x0A), var fields = fields(of: head[(end + 1)...]) else { return nil }
        fields.removeAll {
            isNamed("transfer-encoding", $0) && $0.value.map(\.lowercased).elementsEqual("identity".utf8)
        }
        if ResponseHead.opensTunnel(ResponseHead.status(in: head.span) ?? 0, method) {
            fields.removeAll { isNamed("content-length", $0) || isNamed("transfer-encoding", $0) }
        }
        guard let lengths = uniqueLength(fields) else { return nil }
        if let first = lengths.first { fields[first].value = lengths.value }
        let kept = fields.indices.filter { !lengths.repeated.contains($0) }.map { fields[$0] }
        var status = Array(withoutReturn(head[..<end]))
        if status.count > 12, status[12] == 0x09 { status[12] = 0x20 }
        status += [0x0D, 0x0A]
        return ByteBuffer(bytes: status + text(of: kept))
    }

    /// Trailers with their empty line in the strict form; `nil` if they have a defect that must not be mended.
    ///
    /// - Parameter mayBeTrailer: whether a field of this name is kept; a recipient may drop the others (RFC 9110 section 6.5.1).
    static func mended(trailers bytes: [UInt8], _ mayBeTrailer: ([UInt8]) -> Bool) -> [UInt8]? {
        fields(of: bytes[...]).map { fields in text(of: fields.filter { mayBeTrailer(Array($0.name)) }) }
    }

    private typealias Field = (name: ArraySlice<UInt8>, value: [UInt8])

    /// The fields of lines in any of these forms.
    private static func fields(of bytes: ArraySlice<UInt8>) -> [Field]? {
        var fields: [Field] = []
        for line in bytes.split(separator: 0x0A).map(withoutReturn) where !line.isEmpty {
            if line[line.startIndex].isBlank {
                guard let last = fields.indices.last else { return nil }
                fields[last].value += [0x20] + visible(line)
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            fields.append((trimmed(line[..<colon]), visible(line[(colon + 1)...])))
        }
        return fields
    }

    private static func visible(_ value: ArraySlice<UInt8>) -> [UInt8] {
        trimmed(value).map { $0 == 0 || $0.isFieldByte ? $0 : 0x20 }
    }

    /// The fields and the empty line after them, in the strict form.
    private static func text(of fields: [Field]) -> [UInt8] {
        let end: [UInt8] = [0x0D, 0x0A]
        var text: [UInt8] = []
        for field in fields {
            text += field.name
            text += [0x3A, 0x20]
            text += field.value
            text += end
        }
        return text + end
    }

    private static func isNamed(_ name: StaticString, _ field: Field) -> Bool {
        field.name.map(\.lowercased).elementsEqual("\(name)".utf8)
    }

    private typealias Lengths = (first: Int?, repeated: [Int], value: [UInt8])

    /// The one length that all length fields have; `nil` if they have several.
    private static func uniqueLength(_ fields: [Field]) -> Lengths? {
        let places = fields.indices.filter { isNamed("content-length", fields[$0]) }
        let values = places.flatMap { place in
            fields[place].value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { withoutZeros(trimmed($0)) }
        }
        guard let value = values.first else { return (nil, [], []) }
        // RFC 9112 section 6.3: the coding counts, and a proxy removes the length.
        if fields.contains(where: { isNamed("transfer-encoding", $0) }) { return (nil, places, []) }
        return values.allSatisfy { $0 == value } ? (places.first, Array(places.dropFirst()), value) : nil
    }

    /// A number without zeros before it: `3` and `03` are one length.
    private static func withoutZeros(_ number: ArraySlice<UInt8>) -> [UInt8] {
        let rest = number.drop { $0 == UInt8(ascii: "0") }
        return Array(rest.isEmpty ? number.suffix(1) : rest)
    }

    private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == 0x0D ? line.dropLast() : line
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first.isBlank { bytes.removeFirst() }
        while let last = bytes.last, last.isBlank { bytes.removeLast() }
        return bytes
    }
}
