internal import HTTPTypes
internal import NIOCore
internal import Sallyport

/// The head of a response in the strict form; ranges count from the head's first byte.
struct ResponseHead {
    let status: Int
    /// From the status code to the end of the line, with its CR LF.
    let statusAndReason: Range<Int>
    let fields: FieldFacts
    let framing: BodyFraming
    let isHTTP10: Bool
    /// Whether the connection may carry another request after this response.
    let isKeptAlive: Bool

    var isInterim: Bool { status < 200 && status != 101 }

    /// Reads the head in all of `bytes`.
    ///
    /// - Parameter method: the method that it answers.
    init(parsing bytes: Span<UInt8>, to method: RequestHead.Method) throws(HeadDefect) {
        guard bytes.count >= 15, bytes[0] == UInt8(ascii: "H"), bytes[1] == UInt8(ascii: "T"),
            bytes[2] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: "P"), bytes[4] == UInt8(ascii: "/"),
            bytes[5] == UInt8(ascii: "1"), bytes[6] == UInt8(ascii: "."), bytes[7] &- 0x30 < 2, bytes[8] == 0x20,
            bytes[9].isDigit, bytes[10].isDigit, bytes[11].isDigit
        else { throw .statusLine }
        isHTTP10 = bytes[7] == 0x30
        status = Int(bytes[9] &- 0x30) * 100 + Int(bytes[10] &- 0x30) * 10 + Int(bytes[11] &- 0x30)
        guard (100...599).contains(status) else { throw .statusLine }
        var index = 12
        if bytes[index] == 0x20 {
            while bytes[index].isFieldByte { index &+= 1 }
        }
        guard bytes[index] == 0x0D, bytes[index &+ 1] == 0x0A else { throw .statusLine }
        statusAndReason = 9..<index &+ 2
        fields = try FieldFacts(parsing: bytes, from: index &+ 2, to: bytes.count, isResponse: true)
        framing = try Self.framing(fields, status, method)
        // RFC 9112 section 6.1: after chunks in HTTP/1.0 the connection carries nothing more.
        let mayKeep = !isHTTP10 || fields.keepsAlive && framing != .chunked
        isKeptAlive = mayKeep && !fields.closes && framing != .untilClose
    }

    /// Reads the head in all of `bytes`. One that recipients may mend is written anew in `bytes`.
    static func read(_ bytes: inout ByteBuffer, to method: RequestHead.Method) throws(HeadDefect) -> ResponseHead {
        do throws(HeadDefect) {
            return try ResponseHead(parsing: bytes.readableBytesUInt8Span, to: method)
        } catch {
            guard let mended = ResponseMending.mended(bytes) else { throw error }
            let head = try ResponseHead(parsing: mended.readableBytesUInt8Span, to: method)
            bytes = mended
            return head
        }
    }

    /// The status in the first line of a response whose rest may be unreadable; `nil` if there is none.
    static func status(in bytes: Span<UInt8>) -> Int? {
        guard bytes.count >= 12, bytes.begins("http/1.", in: 0..<bytes.count), bytes[8] == 0x20, bytes[9].isDigit,
            bytes[10].isDigit, bytes[11].isDigit
        else { return nil }
        return Int(bytes[9] &- 0x30) * 100 + Int(bytes[10] &- 0x30) * 10 + Int(bytes[11] &- 0x30)
    }

    private static func framing(
        _ fields: FieldFacts,
        _ status: Int,
        _ method: RequestHead.Method
    ) throws(HeadDefect) -> BodyFraming {
        // After 2xx to CONNECT the tunnel begins, whatever the fields say (RFC 9110 section 9.3.6).
        if status < 200 || status == 204 || status == 304 || method == .head || method == .connect && status < 300 {
            return .none
        }
        if fields.hasOtherCoding { throw .coding }
        if fields.isChunked {
            guard fields.length == nil else { throw .lengthAndCoding }
            return .chunked
        }
        return fields.length.map { .length($0) } ?? .untilClose
    }

    /// All fields of the head in `bytes`, for the handler of challenges.
    func allFields(of bytes: ByteBuffer) -> HTTPFields {
        let span = bytes.readableBytesUInt8Span
        var fields = HTTPFields()
        var index = statusAndReason.upperBound
        while index < span.count - 2, let line = try? FieldLine(parsing: span, at: index) {
            index = line.line.upperBound
            let start = bytes.readerIndex
            let name = bytes.getString(at: start + line.name.lowerBound, length: line.name.count) ?? ""
            let value = bytes.getBytes(at: start + line.value.lowerBound, length: line.value.count) ?? []
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        // The driver reads the field; the other reasons to close it cannot know.
        if !isKeptAlive { fields[.connection] = "close" }
        return fields
    }
}
