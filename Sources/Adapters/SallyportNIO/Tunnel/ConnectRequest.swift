internal import HTTPTypes
internal import Hostnames
internal import NIOCore
internal import Sallyport

/// The bytes of a CONNECT request.
struct ConnectRequest {
    /// `host:port`, with brackets around an IPv6 address.
    let authority: String
    private let fields: HTTPFields

    /// - Parameter fields: fields of the user.
    init(to origin: Origin, fields: HTTPFields) throws(ProxyTunnelError) {
        authority = "\(origin.host):\(origin.port)"
        for field in fields where Self.ownNames.contains(field.name) || field.name.rawName.isEmpty {
            throw .unsendableField(name: field.name.rawName)
        }
        self.fields = fields
    }

    private static let ownNames: Set<HTTPField.Name> = {
        var names: Set<HTTPField.Name> = [.contentLength, .transferEncoding]
        if let host = HTTPField.Name("Host") { names.insert(host) }
        return names
    }()

    /// The request with `answers` in the place of fields with the same names.
    ///
    /// - Parameter persistence: whether to ask the proxy to keep the connection, unless the user has said how.
    func bytes(
        with answers: [HTTPField],
        _ persistence: ProxyPersistence,
        in allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 512)
        buffer.writeString("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n")
        for field in fields where !answers.contains(where: { $0.name == field.name }) { buffer.write(field) }
        for field in answers { buffer.write(field) }
        if let field = persistence.due, fields[field.name] == nil { buffer.write(field) }
        buffer.writeString("\r\n")
        return buffer
    }
}
