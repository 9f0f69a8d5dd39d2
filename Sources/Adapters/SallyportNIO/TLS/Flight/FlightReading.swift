internal import Sallyport

/// Finds the CertificateRequest in what a server sent before its Finished.
///
/// TLS 1.2 sends the handshake in clear. TLS 1.3 encrypts all that follows the ServerHello with a secret that the TLS library
/// gives. NIOSSL has verified all of it before it asks for a client certificate, so a defect here only means that nothing
/// is known.
enum FlightReading {
    private enum Message {
        static let serverHello = 2
        static let encryptedExtensions = 8
        static let certificateRequest = 13
        static let serverHelloDone = 14
    }

    private enum Record {
        static let changeCipherSpec = 20
        static let handshake = 22
        static let applicationData = 23
    }

    /// The version and the cipher suite of a ServerHello.
    private struct Hello {
        let isTLS13: Bool
        let suite: UInt16

        /// RFC 8446 section 4.1.3.
        init?(_ body: ArraySlice<UInt8>) {
            var reader = WireReader(body)
            guard reader.readBytes(34) != nil, reader.vector(1) != nil, let suite = reader.number(2),
                reader.readBytes(1) != nil
            else { return nil }
            self.suite = UInt16(suite)
            var version: Int?
            if !reader.isAtEnd {
                guard let block = reader.vector(2), reader.isAtEnd else { return nil }
                var extensions = WireReader(block)
                while !extensions.isAtEnd {
                    guard let type = extensions.number(2), let contents = extensions.vector(2) else { return nil }
                    var inside = WireReader(contents)
                    if type == 43 { version = inside.number(2) }
                }
            }
            isTLS13 = version == 0x0304
        }
    }

    /// - Parameters:
    ///   - bytes: the records of the server, from its first one.
    ///   - secret: the server's handshake traffic secret of TLS 1.3; empty if it is not known.
    /// - Returns: `nil` if there is none, or if it cannot be read.
    static func request(in bytes: [UInt8], secret: [UInt8]) -> CertificateRequest? {
        var records = WireReader(bytes[...])
        var messages: [UInt8] = []
        var opening: RecordOpening?
        // Each turn takes a record.
        while let header = records.readBytes(5) {
            var fields = WireReader(header)
            guard let type = fields.number(1), fields.readBytes(2) != nil, let count = fields.number(2),
                let contents = records.readBytes(count)
            else { return nil }
            switch type {
            case Record.changeCipherSpec: continue
            case Record.handshake where opening == nil: messages += contents
            case Record.applicationData:
                if opening == nil {
                    guard let hello = lastHello(in: messages), hello.isTLS13 else { return nil }
                    opening = RecordOpening(suite: hello.suite, secret: secret)
                    messages = []
                }
                guard let inside = opening?.open(header: header, contents), Int(inside.type) == Record.handshake
                else { return nil }
                messages += inside.contents
                if case .found(let request) = find(in: messages, isTLS13: true) { return request }
            default: return nil
            }
        }
        guard opening == nil, case .found(let request) = find(in: messages, isTLS13: false) else { return nil }
        return request
    }

    private enum Search {
        case found(CertificateRequest?)
        case incomplete
    }

    private static func find(in messages: [UInt8], isTLS13: Bool) -> Search {
        var reader = WireReader(messages[...])
        while let type = reader.number(1) {
            guard let body = reader.vector(3) else { return .incomplete }
            switch type {
            case Message.certificateRequest:
                return .found(isTLS13 ? CertificateRequest(ofTLS13: body) : CertificateRequest(ofTLS12: body))
            case Message.serverHelloDone: return .found(nil)
            case Message.encryptedExtensions: continue
            // In TLS 1.3 the request comes before the server's certificate.
            default: if isTLS13 { return .found(nil) }
            }
        }
        return .incomplete
    }

    /// The ServerHello; the second one after a HelloRetryRequest, which has the same form.
    private static func lastHello(in messages: [UInt8]) -> Hello? {
        var reader = WireReader(messages[...])
        var last: Hello?
        while let type = reader.number(1) {
            guard type == Message.serverHello, let body = reader.vector(3), let hello = Hello(body) else { return nil }
            last = hello
        }
        return last
    }
}
