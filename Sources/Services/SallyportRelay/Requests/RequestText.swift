internal import HTTP1
internal import NIOCore
internal import Sallyport

/// The head of a request as the party gets it.
struct RequestText {
    /// The request, with the fields of the last send; each send replaces those after ``prefixLength``.
    private var prefix: ByteBuffer
    /// The bytes of the request up to the fields that each send adds.
    private var prefixLength: Int
    /// Path and query in `prefix`, without the origin before them.
    private var path: Range<Int>
    /// Writes the prefix in the form for a server (`true`) or a proxy, if a way may need another form than the first one.
    private let rewrite: ((Bool) -> (ByteBuffer, Range<Int>))?

    init(_ prefix: ByteBuffer, path: Range<Int>, rewrite: ((Bool) -> (ByteBuffer, Range<Int>))?) {
        (self.prefix, self.path, self.rewrite) = (prefix, path, rewrite)
        prefixLength = prefix.readableBytes
    }

    /// Rewrites the prefix in the form for a server (`true`) or for a proxy.
    mutating func setForm(isOrigin: Bool) {
        guard let rewrite else { return }
        (prefix, path) = rewrite(isOrigin)
        prefixLength = prefix.readableBytes
    }

    /// The memory, for another request after this one.
    var memory: ByteBuffer { prefix }

    /// The head of a send, to which `write` adds fields.
    mutating func sent(_ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        // In place: the first send, which mostly is the only one, copies nothing.
        prefix.moveWriterIndex(to: prefix.readerIndex + prefixLength)
        write(&prefix)
        return prefix
    }

    /// The same with a token that goes along, or is bound to a key: the fields of the send take the place of the request's own, and so does a
    /// parameter of the query.
    func sent(as sending: RequestSending, _ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
        let text = prefix.getBytes(at: prefix.readerIndex, length: prefixLength) ?? []
        var sent = ByteBuffer()
        sent.writeBytes(text[..<path.lowerBound])
        // Nothing stands there for `OPTIONS *` by way of a proxy.
        if !path.isEmpty { sent.writeString(sending.target(target)) }
        let names = sending.fields.map { $0.name.canonicalName }
        var rest = text[path.upperBound...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[...end]
            let name = line.firstIndex(of: UInt8(ascii: ":")).map { String(decoding: line[..<$0], as: UTF8.self) } ?? ""
            // The first line has no name.
            let isReplaced = line.startIndex > path.upperBound && names.contains(name.lowercased())
            if !isReplaced { sent.writeBytes(line) }
            rest = rest[(end + 1)...]
        }
        sent.writeBytes(rest)
        write(&sent)
        return sent
    }

    func method(of head: RequestHead) -> String {
        prefix.getString(at: prefix.readerIndex, length: head.methodRange.count) ?? ""
    }

    /// The request line as a proxy gets it.
    func forProxy(_ head: RequestHead) -> (method: String, target: String) {
        // The target follows the method and a space.
        let start = head.methodRange.count + 1
        let target = prefix.getString(at: prefix.readerIndex + start, length: path.upperBound - start) ?? ""
        return (method(of: head), target)
    }

    /// Path and query, as Digest needs them.
    var target: String {
        let text = prefix.getString(at: prefix.readerIndex + path.lowerBound, length: path.count) ?? ""
        // RFC 9112 section 3.2.4: without a path, OPTIONS is about the server itself.
        return text.isEmpty ? "*" : text
    }
}
