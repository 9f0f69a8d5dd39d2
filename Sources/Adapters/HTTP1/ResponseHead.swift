internal import HTTPAuthentication
package import HTTPTypes
package import NIOCore

/// The head of a response in the strict form; ranges count from the head's first byte.
package struct ResponseHead {
    package let status: Int
    /// From the status code to the end of the line, with its CR LF.
    package let statusAndReason: Range<Int>
    package let fields: FieldFacts
    package let framing: BodyFraming
    package let isHTTP10: Bool
    /// Whether the connection may carry another request after this response.
    package let isKeptAlive: Bool

    package var isInterim: Bool { status < 200 && status != 101 }

    /// Reads the head in all of `bytes`.
    ///
    /// - Parameter method: the method that it answers.
    package init(parsing bytes: Span<UInt8>, to method: RequestHead.Method) throws(HeadDefect) {
        guard bytes.count >= 15, bytes[0] == UInt8(ascii: "H"), bytes[1] == UInt8(ascii: "T"),
            bytes[2] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: "P"), bytes[4] == UInt8(ascii: "/"),
            bytes[5] == UInt8(ascii: "1"), bytes[6] == UInt8(ascii: "."), bytes[7] &- 0x30 < 2, bytes[8] == 0x20,
            bytes[9].isDigit, bytes[10].isDigit, bytes[11].isDigit
        else { throw .statusLine }
        let isHTTP10 = bytes[7] == 0x30
        let status = Int(bytes[9] &- 0x30) * 100 + Int(bytes[10] &- 0x30) * 10 + Int(bytes[11] &- 0x30)
        // A status above 599 is invalid. A client treats it as an error of the server (RFC 9110 section 15).
        guard status >= 100 else { throw .statusLine }
        var index = 12
        if bytes[index] == 0x20 {
            while bytes[index].isFieldByte { index &+= 1 }
        }
        guard bytes[index] == 0x0D, bytes[index &+ 1] == 0x0A else { throw .statusLine }
        let statusAndReason = 9..<index &+ 2
        let opensTunnel = Self.opensTunnel(status, method)
        var fields = FieldFacts(opensTunnel ? .established : .response)
        try fields.read(bytes, from: index &+ 2, to: bytes.count)
        let framing = try Self.framing(fields, status, method)
        // RFC 9112 section 6.1: after chunks in HTTP/1.0 the connection carries nothing more.
        let mayKeep = !isHTTP10 || fields.keepsAlive && framing != .chunked
        isKeptAlive = mayKeep && !fields.closes && framing != .untilClose
        (self.status, self.statusAndReason, self.isHTTP10) = (status, statusAndReason, isHTTP10)
        self.framing = framing
        self.fields = consume fields
    }

    /// Reads the head in all of `bytes`. One that recipients may mend is written anew in `bytes`.
    package static func read(_ bytes: inout ByteBuffer, to method: RequestHead.Method) throws(HeadDefect)
        -> ResponseHead
    {
        do throws(HeadDefect) {
            return try ResponseHead(parsing: bytes.readableBytesUInt8Span, to: method)
        } catch {
            guard let mended = ResponseMending.mended(bytes, to: method) else { throw error }
            let head = try ResponseHead(parsing: mended.readableBytesUInt8Span, to: method)
            bytes = mended
            return head
        }
    }

    /// The status in the first line of a response whose rest may be unreadable; `nil` if there is none.
    package static func status(in bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 12, bytes.begins("http/1.", in: 0..<bytes.count), bytes[8] == 0x20, bytes[9].isDigit,
            bytes[10].isDigit, bytes[11].isDigit
        else { return nil }
        return Int(bytes[9] &- 0x30) * 100 + Int(bytes[10] &- 0x30) * 10 + Int(bytes[11] &- 0x30)
    }

    /// Whether a tunnel begins, whatever the fields say.
    static func opensTunnel(_ status: Int, _ method: RequestHead.Method) -> Bool {
        method == .connect && (200..<300).contains(status)
    }

    private static func framing(
        _ fields: FieldFacts,
        _ status: Int,
        _ method: RequestHead.Method
    ) throws(HeadDefect) -> BodyFraming {
        if status < 200 || status == 204 || status == 304 || method == .head || opensTunnel(status, method) {
            return .none
        }
        if fields.hasOtherCoding { throw .coding }
        if fields.isChunked {
            guard fields.length == nil else { throw .lengthAndCoding }
            return .chunked
        }
        return fields.length.map { .length($0) } ?? .untilClose
    }

    /// Calls `body` with each field line of the head in `bytes`.
    package func forEachLine(in bytes: Span<UInt8>, _ body: (FieldLine) -> Void) {
        var index = statusAndReason.upperBound
        while index < bytes.count - 2, let line = try? FieldLine(parsing: bytes, at: index) {
            index = line.line.upperBound
            body(line)
        }
    }

    /// The fields of the head in `bytes` that the handler of challenges reads.
    package func decisiveFields(of bytes: ByteBuffer) -> HTTPFields {
        let span = bytes.readableBytesUInt8Span
        var fields = HTTPFields()
        forEachLine(in: span) { line in
            guard DecisiveFields.mayHave(nameOf: line.name.count) else { return }
            for known in DecisiveFields.all where span.equals(known.text, in: line.name) {
                fields.append(HTTPField(name: known.name, value: value(of: line, in: bytes)))
            }
        }
        return closing(fields)
    }

    /// All fields of the head in `bytes`.
    package func allFields(of bytes: ByteBuffer) -> HTTPFields {
        let span = bytes.readableBytesUInt8Span
        let start = bytes.readerIndex
        var fields = HTTPFields()
        forEachLine(in: span) { line in
            let name = bytes.getString(at: start + line.name.lowerBound, length: line.name.count) ?? ""
            if let name = HTTPField.Name(name) {
                fields.append(HTTPField(name: name, value: value(of: line, in: bytes)))
            }
        }
        return closing(fields)
    }

    private func value(of line: FieldLine, in bytes: ByteBuffer) -> [UInt8] {
        bytes.getBytes(at: bytes.readerIndex + line.value.lowerBound, length: line.value.count) ?? []
    }

    /// The driver reads the field; the other reasons to close it cannot know.
    private func closing(_ fields: consuming HTTPFields) -> HTTPFields {
        if !isKeptAlive { fields[.connection] = "close" }
        return fields
    }
}
