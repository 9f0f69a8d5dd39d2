internal import NIOCore

/// Heads of responses in forms that a recipient may accept, written anew in the strict form (RFC 9112 sections 2.2, 5.1, 5.2 and 6.3).
///
/// A request in such a form is refused, because another server on the way may read it as two. A response that is refused keeps a person
/// from a page that other clients show; written anew, the next recipient cannot read it in another way than the relay.
enum ResponseMending {
    /// The head in all of `bytes` in the strict form; `nil` if it has a defect that nobody may mend.
    ///
    /// Blanks before colons go, a field on several lines gets one, lines that a line feed alone ends get their carriage return, one that
    /// stands elsewhere becomes a blank, as other control characters do except zero (RFC 9110 section 5.5), equal lengths become one, and beside chunks a length goes.
    static func mended(_ bytes: ByteBuffer) -> ByteBuffer? {
        let head = Array(bytes.readableBytesView)
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        guard let status = lines.popFirst() else { return nil }
        var fields: [(name: ArraySlice<UInt8>, value: [UInt8])] = []
        for line in lines.map(withoutReturn) where !line.isEmpty {
            if line[line.startIndex].isBlank {
                guard let last = fields.indices.last else { return nil }
                fields[last].value += [0x20] + trimmed(line)
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = trimmed(line[(colon + 1)...]).map { $0 == 0 || $0.isFieldByte ? $0 : 0x20 }
            fields.append((trimmed(line[..<colon]), value))
        }
        guard let lengths = uniqueLength(fields) else { return nil }
        var mended = ByteBuffer()
        mended.reserveCapacity(head.count * 2)
        func end() { mended.writeInteger(UInt16(0x0D0A)) }
        mended.writeBytes(withoutReturn(status))
        end()
        for (index, field) in fields.enumerated() where !lengths.repeated.contains(index) {
            mended.writeBytes(field.name)
            mended.writeInteger(UInt16(0x3A20))
            mended.writeBytes(index == lengths.first ? lengths.value : field.value)
            end()
        }
        end()
        return mended
    }

    private typealias Lengths = (first: Int?, repeated: [Int], value: [UInt8])

    /// The one length that all length fields have; `nil` if they have several.
    private static func uniqueLength(_ fields: [(name: ArraySlice<UInt8>, value: [UInt8])]) -> Lengths? {
        let places = fields.indices.filter { fields[$0].name.map(\.lowercased).elementsEqual("content-length".utf8) }
        let values = places.flatMap { place in
            fields[place].value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { Array(trimmed($0)) }
        }
        guard let value = values.first else { return (nil, [], []) }
        // RFC 9112 section 6.3: the coding counts, and a proxy removes the length.
        let isCoded = fields.contains { $0.name.map(\.lowercased).elementsEqual("transfer-encoding".utf8) }
        if isCoded { return (nil, places, []) }
        return values.allSatisfy { $0 == value } ? (places.first, Array(places.dropFirst()), value) : nil
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
