internal import HTTP1

/// A protocol other than HTTP/1 that a client speaks from its first byte on, and how it learns that the relay does not.
///
/// Without an answer such a client waits for its own time limit, because it expects the relay's first message and the relay
/// expects the end of a head.
enum ForeignProtocol: Equatable {
    /// TLS, at an address without TLS.
    case tls
    /// HTTP without TLS, at an address with TLS.
    case plainHTTP
    case socks4
    /// - offersNoAuthentication: whether a connection without a password is among the client's methods.
    case socks5(offersNoAuthentication: Bool)
    /// HTTP/2 without a negotiation (RFC 9113 section 3.3).
    case http2
    case ssh
    /// The header of HAProxy's PROXY protocol, version 1 or 2, which a load balancer adds.
    case proxyHeader
    /// Bytes that cannot be a method of HTTP.
    case unknown

    /// What the first bytes of a connection begin with; `nil` for HTTP/1, and while the bytes do not decide.
    init?(firstBytes bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return nil }
        switch bytes[0] {
        // RFC 8446 section 5.1: the type of a record with a handshake. No method of HTTP begins with a control character.
        case 0x16: self = .tls
        // The same in SSL 2 framing (RFC 5246 appendix E.2), which old clients begin with: a length with its high bit, and type 1.
        case 0x80...:
            guard bytes.count > 2 else { return nil }
            self = bytes[2] == 1 ? .tls : .unknown
        case 4: self = .socks4
        case 5:
            // RFC 1928 section 3: the number of methods, and the methods.
            guard bytes.count > 1, bytes.count >= 2 + Int(bytes[1]) else { return nil }
            let methods = bytes.extracting(2..<2 + Int(bytes[1]))
            self = .socks5(offersNoAuthentication: methods.indices.contains { methods[$0] == 0 })
        default:
            if let (_, found) = Self.beginnings.first(where: { bytes.begins($0.0) }) {
                self = found
            } else if bytes[0].isToken || bytes[0] == UInt8(ascii: "\r") {
                return nil
            } else {
                self = .unknown
            }
        }
    }

    /// The most bytes of a first line that is judged before its head has ended: a command line of SMTP (RFC 5321 section 4.5.3.1.4).
    private static let firstLineBytes = 512

    /// Whether the first line has ended and names no version, so that it cannot become the first line of a request (RFC 9112 section 3).
    ///
    /// Clients of SMTP, POP3, FTP and Redis may send such a line first, and wait for its answer.
    static func isForeign(firstLineOf bytes: Span<UInt8>) -> Bool {
        // RFC 9112 section 2.2: an empty line before a request is skipped.
        let start = bytes.begins([0x0D, 0x0A]) ? 2 : 0
        let version = Array("HTTP/".utf8)
        for index in start..<max(start, min(bytes.count, firstLineBytes)) {
            if bytes[index] == 0x0A { return index > start }
            if bytes[index] == version[0], bytes.extracting(index..<bytes.count).begins(version) { return false }
        }
        return false
    }

    /// The first bytes of protocols that begin with text.
    private static let beginnings: [([UInt8], ForeignProtocol)] = [
        (Array("PRI * HTTP/2.0\r\n".utf8), .http2),
        // RFC 4253 section 4.2.
        (Array("SSH-".utf8), .ssh),
        (Array("PROXY ".utf8), .proxyHeader),
        (Array("\r\n\r\n\0\r\nQUIT\n".utf8), .proxyHeader),
    ]

    /// The answer in the client's own protocol, so that it ends at once and shows a reason; `nil` if a response of HTTP/1 serves best.
    ///
    /// Clients of TLS get HTTP/1: OpenSSL calls that a wrong version number, and Go and urllib3 say that the proxy speaks HTTP.
    func answer(_ text: String) -> [UInt8]? {
        switch self {
        case .tls, .plainHTTP, .proxyHeader, .unknown: nil
        // A reply of version 0 with code 91, "request rejected or failed" (SOCKS: A protocol for TCP proxy, section 2).
        case .socks4: [0, 91, 0, 0, 0, 0, 0, 0]
        // A refusal of all methods, and otherwise method 0 and the reply to the request that follows, "connection not allowed by
        // ruleset": many clients take a refusal of the methods as the wish for a password (RFC 1928 sections 3 and 6).
        case .socks5(offersNoAuthentication: false): [5, 0xFF]
        case .socks5(offersNoAuthentication: true): [5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0]
        case .http2: Self.goAway(text)
        case .ssh: Self.disconnect(text)
        }
    }

    /// Empty SETTINGS, and GOAWAY with HTTP_1_1_REQUIRED (RFC 9113 sections 6.5, 6.8 and 7).
    private static func goAway(_ text: String) -> [UInt8] {
        let debug = [UInt8](text.utf8)
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        return settings + bigEndian(UInt32(8 + debug.count))[1...] + [7, 0, 0, 0, 0, 0] + bigEndian(0)
            + bigEndian(0xd) + debug
    }

    /// The relay's version, and SSH_MSG_DISCONNECT with SSH_DISCONNECT_PROTOCOL_ERROR (RFC 4253 sections 4.2, 6 and 11.1).
    private static func disconnect(_ text: String) -> [UInt8] {
        let text = [UInt8](text.utf8)
        let payload: [UInt8] = [1] + bigEndian(2) + bigEndian(UInt32(text.count)) + text + bigEndian(0)
        // The length, the length of the padding, the payload and at least four bytes of padding are a multiple of eight.
        let padding = 4 + (8 - (4 + 1 + payload.count + 4) % 8) % 8
        return Array("SSH-2.0-sallyport\r\n".utf8) + bigEndian(UInt32(1 + payload.count + padding))
            + [UInt8(padding)] + payload + [UInt8](repeating: 0, count: padding)
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
    }
}

extension ForeignProtocol: CustomStringConvertible {
    /// One line: the problem and the remedy.
    var description: String {
        switch self {
        case .tls:
            "it speaks TLS to an address without TLS: write http:// before the relay's address in the client, or let the relay listen on "
                + "https://ADDRESS:PORT"
        case .plainHTTP:
            "it does not speak TLS to an address with TLS: write https:// before the relay's address in the client"
        case .socks4, .socks5:
            "it speaks SOCKS: let the client use an HTTP proxy (http://, CONNECT), or let the relay listen for SOCKS 5 with --socks"
        case .http2: "it speaks HTTP/2: let the client use HTTP/1.1"
        case .ssh:
            "it speaks SSH: let the client send CONNECT first, as in 'ProxyCommand nc -X connect -x RELAY %h %p' of ssh"
        case .proxyHeader:
            "it sends a header of the PROXY protocol: turn that off in the load balancer before the relay (send-proxy of HAProxy)"
        case .unknown: "it does not speak HTTP: use the relay as an HTTP proxy"
        }
    }
}

extension Span<UInt8> {
    fileprivate func begins(_ beginning: [UInt8]) -> Bool {
        guard count >= beginning.count else { return false }
        return beginning.indices.allSatisfy { self[$0] == beginning[$0] }
    }
}
