internal import Hostnames
internal import NIOCore

/// What a client of SOCKS has said so far. The stages go only forward.
enum SOCKSStage {
    /// Its methods are due: next `.logOn` or `.request`.
    case methods
    /// Its user and password are due: next `.request`.
    case logOn
    /// Its request is due: next `.asked`.
    case request
    /// It waits for the reply.
    case asked
}

/// A message of a client as a SOCKS5 proxy reads it (RFC 1928 and RFC 1929); the longest has 513 bytes. ``SOCKSMessages`` draws them.
enum SOCKSRequest {
    case methods([UInt8])
    case logOn(user: [UInt8], password: [UInt8])
    /// Host and port, as CONNECT of HTTP names them.
    case target(String)

    /// Takes the message that is due; `nil` before all of it has come.
    static func take(at stage: SOCKSStage, from bytes: inout ByteBuffer) throws(SOCKSClientDefect) -> SOCKSRequest? {
        switch stage {
        case .methods: try takeMethods(&bytes)
        case .logOn: try takeLogOn(&bytes)
        case .request: try takeTarget(&bytes)
        case .asked: nil
        }
    }

    private static func takeMethods(_ bytes: inout ByteBuffer) throws(SOCKSClientDefect) -> SOCKSRequest? {
        let view = bytes.readableBytesView
        switch view.first {
        case nil: return nil
        case 5: break
        case 4: throw .version4
        default: throw .notSOCKS
        }
        guard view.count >= 2 else { return nil }
        let count = Int(view[view.startIndex + 1])
        guard view.count >= 2 + count else { return nil }
        bytes.moveReaderIndex(forwardBy: 2)
        return bytes.readBytes(length: count).map { .methods($0) }
    }

    private static func takeLogOn(_ bytes: inout ByteBuffer) throws(SOCKSClientDefect) -> SOCKSRequest? {
        let view = bytes.readableBytesView
        guard let first = view.first else { return nil }
        guard first == 1 else { throw .malformed }
        guard view.count >= 2 else { return nil }
        let userCount = Int(view[view.startIndex + 1])
        guard view.count >= 3 + userCount else { return nil }
        let passwordCount = Int(view[view.startIndex + 2 + userCount])
        guard view.count >= 3 + userCount + passwordCount else { return nil }
        bytes.moveReaderIndex(forwardBy: 2)
        let user = bytes.readBytes(length: userCount) ?? []
        bytes.moveReaderIndex(forwardBy: 1)
        return .logOn(user: user, password: bytes.readBytes(length: passwordCount) ?? [])
    }

    private static func takeTarget(_ bytes: inout ByteBuffer) throws(SOCKSClientDefect) -> SOCKSRequest? {
        let head = Array(bytes.readableBytesView.prefix(5))
        if let first = head.first, first != 5 { throw .malformed }
        if head.count >= 2, head[1] != 1 { throw .command }
        if head.count >= 3, head[2] != 0 { throw .malformed }
        if head.count >= 4, ![1, 3, 4].contains(head[3]) { throw .addressType }
        guard head.count == 5 else { return nil }
        let (start, length) =
            switch head[3] {
            case 1: (4, 4)
            case 4: (4, 16)
            default: (5, Int(head[4]))
            }
        guard bytes.readableBytes >= start + length + 2 else { return nil }
        bytes.moveReaderIndex(forwardBy: start)
        let address = bytes.readBytes(length: length) ?? []
        guard let port: UInt16 = bytes.readInteger(), port > 0 else { throw .host }
        return .target("\(try host(address, kind: head[3])):\(port)")
    }

    private static func host(_ bytes: [UInt8], kind: UInt8) throws(SOCKSClientDefect) -> Hostname {
        switch kind {
        case 1: return Hostname(form: .ipv4(IPv4Address(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })))
        case 4: return Hostname(form: .ipv6(IPv6Address(rawValue: bytes.reduce(0) { $0 << 8 | UInt128($1) })))
        default:
            // A name may be the text of an address, to which the rules for addresses apply.
            guard let text = String(validating: bytes, as: UTF8.self), let host = try? Hostname(parsing: text) else {
                throw .host
            }
            return host
        }
    }
}

/// The answers of a SOCKS5 proxy.
enum SOCKSAnswers {
    static func method(_ method: SOCKSMessages.Method) -> [UInt8] { [5, method.rawValue] }
    static let noMethod: [UInt8] = [5, 0xFF]
    static let loggedOn: [UInt8] = [1, 0]
    static let notLoggedOn: [UInt8] = [1, 1]

    /// The reply to a request; `nil` for success. The address at which the proxy is connected is not told (0.0.0.0, port 0), because a parent has
    /// the connection to the server.
    static func reply(_ refusal: SOCKSError.Reply?) -> [UInt8] { [5, refusal?.rawValue ?? 0, 0, 1, 0, 0, 0, 0, 0, 0] }
}
