internal import HTTP1
internal import HTTPTypes
internal import WireFormat

/// What a proxy tells about a client's request.
struct CheckRequest: Equatable {
    /// The method of the client's request.
    let method: String
    /// The target of the client's request, as its request line has it.
    let target: String
    /// The client's address.
    let address: String?
    /// Whether the client speaks TLS to the proxy.
    let isEncrypted: Bool
    /// The values of `Authorization`.
    let answers: [HTTPField]

    /// Reads the head of a check.
    ///
    /// The client's own fields may have come along, also under the names that the proxy uses. So each of those may come once: a proxy that writes its
    /// own beside the client's is not understood.
    init(_ head: RequestHead, _ bytes: Span<UInt8>, from front: FrontProxy) throws(CheckDefect) {
        var facts = Facts()
        for range in head.fields.kept {
            var start = range.lowerBound
            while start < range.upperBound {
                // The head was read by the same rule.
                guard let field = try? FieldLine(parsing: bytes, at: start) else { throw .unreadable }
                start = field.line.upperBound
                try facts.note(field, bytes, front)
            }
        }
        func told(_ field: ToldField?, _ value: Range<Int>?, own: Range<Int>) throws(CheckDefect) -> String {
            guard let field else { return text(bytes, own) }
            guard let value, !value.isEmpty else { throw .missing(field) }
            return text(bytes, value)
        }
        method = try told(front.method, facts.method, own: head.methodRange)
        target = try told(front.target, facts.target, own: head.target)
        address = facts.address.map { text(bytes, $0) }
        isEncrypted = facts.scheme.map { bytes.equals("https", in: $0) } ?? false
        answers = facts.answers.map { HTTPField(name: .authorization, value: [UInt8](copying: bytes.extracting($0))) }
    }

    /// Where the values lie.
    private struct Facts {
        var method, target, address, scheme: Range<Int>?
        var answers: [Range<Int>] = []

        mutating func note(_ field: FieldLine, _ bytes: Span<UInt8>, _ front: FrontProxy) throws(CheckDefect) {
            func has(_ told: ToldField) -> Bool { bytes.equals(told.name, in: field.name) }
            func set(_ fact: inout Range<Int>?, _ told: ToldField, _ value: Range<Int>) throws(CheckDefect) {
                guard fact == nil else { throw .doubled(told) }
                fact = value
            }
            if bytes.equals("authorization", in: field.name) { answers.append(field.value) }
            if let told = front.method, has(told) { try set(&method, told, field.value) }
            if let told = front.target, has(told) { try set(&target, told, field.value) }
            if has(front.scheme) { try set(&scheme, front.scheme, field.value) }
            if has(front.address) { try set(&address, front.address, CheckRequest.lastElement(bytes, field.value)) }
        }
    }

    /// Behind the last comma. The elements before it come from the client, or from proxies before this one.
    private static func lastElement(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Range<Int> {
        var start = value.upperBound
        while start > value.lowerBound, bytes[start - 1] != UInt8(ascii: ",") { start -= 1 }
        return bytes.trimmed(start..<value.upperBound)
    }
}

/// Why a check is not understood. Then the client's request is refused.
enum CheckDefect: Error, Equatable {
    case missing(ToldField)
    case doubled(ToldField)
    case body
    case unreadable
}

extension CheckDefect: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .missing(let name):
            "the proxy does not send \(name.rawValue): write it in the proxy's configuration, as sallyport gateway --print-config does"
        case .doubled(let name):
            "\(name.rawValue) comes twice, so one may be the client's own: let the proxy replace it, as sallyport gateway --print-config does"
        case .body: "the proxy sends a body: let it ask without one, as sallyport gateway --print-config does"
        case .unreadable: "the head cannot be read"
        }
    }
}

/// Bytes of a head as text.
private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    // In bounds: the pointer is used during the call alone.
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
}
