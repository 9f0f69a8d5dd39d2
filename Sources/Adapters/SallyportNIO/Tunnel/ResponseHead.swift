internal import HTTPTypes

/// The head of a response, read strictly (RFC 9112 sections 2 to 5).
struct ResponseHead: Equatable {
    let status: Int
    let fields: HTTPFields
    let isHTTP10: Bool
    /// Whether the connection may carry another request after this response.
    let isKeptAlive: Bool
    let framing: Framing

    /// How the end of the body is found.
    enum Framing: Equatable {
        case length(Int)
        case chunked
        /// The end of the connection.
        case close
    }

    /// Reads a head from the status line to the empty line, both with their CRLF.
    init(parsing bytes: [UInt8]) throws(ResponseDefect) {
        var lines = try Self.lines(of: bytes)
        guard let first = lines.first else { throw .statusLine }
        let (status, isHTTP10) = try Self.status(of: first)
        lines.removeFirst()
        var fields = HTTPFields()
        for (index, line) in lines.enumerated() { fields.append(try Self.field(of: line, number: index + 2)) }
        self.status = status
        self.fields = fields
        self.isHTTP10 = isHTTP10
        framing = try Self.framing(of: fields, status: status)
        let options = Self.list(fields, .connection) + Self.list(fields, HTTPField.Name("Proxy-Connection"))
        let isOpen = isHTTP10 ? options.contains("keep-alive") : true
        isKeptAlive = isOpen && !options.contains("close") && framing != .close
    }

    /// The lines without their ends, and without the empty line.
    private static func lines(of bytes: [UInt8]) throws(ResponseDefect) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        while start < bytes.endIndex {
            guard let end = bytes[start...].firstIndex(of: .lineFeed) else {
                throw .bareLineFeed(line: lines.count + 1)
            }
            guard end > start, bytes[end - 1] == .carriageReturn else { throw .bareLineFeed(line: lines.count + 1) }
            if end - 1 > start { lines.append(bytes[start..<end - 1]) }
            start = end + 1
        }
        return lines
    }

    /// `HTTP/1.1 200 text`; the text may be absent.
    private static func status(of line: ArraySlice<UInt8>) throws(ResponseDefect) -> (Int, isHTTP10: Bool) {
        let line = Array(line)
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), line[7] == .zero || line[7] == .zero + 1,
            line[8] == .space, line.count == 12 || line[12] == .space, line[12...].allSatisfy(\.isFieldByte)
        else { throw .statusLine }
        var status = 0
        for digit in line[9..<12] {
            guard digit.isDigit else { throw .statusLine }
            status = status * 10 + Int(digit - .zero)
        }
        guard (100...599).contains(status) else { throw .statusLine }
        return (status, line[7] == .zero)
    }

    private static func field(of line: ArraySlice<UInt8>, number: Int) throws(ResponseDefect) -> HTTPField {
        if line.first == .space || line.first == .tab { throw .folded(line: number) }
        guard let colon = line.firstIndex(of: .colon),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)), name.rawName.utf8.count > 0,
            line[..<colon].allSatisfy(\.isToken)
        else { throw .fieldName(line: number) }
        let value = line[(colon + 1)...]
        guard value.allSatisfy(\.isFieldByte) else { throw .fieldValue(line: number) }
        let isBlank = { (byte: UInt8) in byte == .space || byte == .tab }
        let trimmed = value.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        return HTTPField(name: name, value: Array(trimmed))
    }

    /// RFC 9112 section 6.3, without its guesses: a response that states two lengths is refused.
    private static func framing(of fields: HTTPFields, status: Int) throws(ResponseDefect) -> Framing {
        let codings = list(fields, .transferEncoding)
        let lengths = list(fields, .contentLength)
        // After 2xx the tunnel begins, whatever the fields say (RFC 9110 section 9.3.6).
        if status < 300 || status == 304 { return .length(0) }
        if !codings.isEmpty {
            guard codings == ["chunked"], lengths.isEmpty else { throw .framing }
            return .chunked
        }
        guard let text = lengths.first else {
            guard fields[.contentLength] == nil, fields[.transferEncoding] == nil else { throw .framing }
            return .close
        }
        guard lengths.count == 1, text.utf8.allSatisfy(\.isDigit), let length = Int(text) else { throw .framing }
        return .length(length)
    }

    /// The elements of a list in lower case.
    private static func list(_ fields: HTTPFields, _ name: HTTPField.Name?) -> [String] {
        guard let name else { return [] }
        return fields[values: name].flatMap { value in
            value.lowercased().split { ", \t".contains($0) }.map(String.init)
        }
    }
}

extension UInt8 {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let zero = UInt8(ascii: "0")

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    /// A byte of a field value or a reason: visible, space, tab, or not ASCII.
    var isFieldByte: Bool { self >= 0x20 && self != 0x7F || self == .tab }
    /// A byte of a token (RFC 9110 section 5.6.2).
    var isToken: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
