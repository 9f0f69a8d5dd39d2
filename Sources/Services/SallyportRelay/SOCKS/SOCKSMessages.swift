internal import Hostnames
internal import NIOCore

/// The messages of a SOCKS5 client, and what the proxy says (RFC 1928 and RFC 1929).
///
/// NIOSOCKS of swift-nio-extras is not used, because its client knows no authentication.
enum SOCKSMessages {
    enum Method: UInt8 {
        case none = 0x00
        case userAndPassword = 0x02
    }

    /// The methods that the relay knows: none at all, or a user name and a password.
    ///
    ///     +-----+----------+----------+
    ///     |  5  | NMETHODS | METHODS  |
    ///     +-----+----------+----------+
    static let greeting: [UInt8] = [5, 2, Method.none.rawValue, Method.userAndPassword.rawValue]

    /// The user name and the password; `nil` if one of them is empty or too long.
    ///
    ///     +-----+------+----------+------+----------+
    ///     |  1  | ULEN |  UNAME   | PLEN |  PASSWD  |
    ///     +-----+------+----------+------+----------+
    static func logOn(user: some Collection<UInt8>, password: some Collection<UInt8>) -> [UInt8]? {
        let lengths = 1...SOCKSLimits.nameBytes
        guard lengths.contains(user.count), lengths.contains(password.count) else { return nil }
        return [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
    }

    /// The request for a connection. A name is sent as it is: the proxy resolves it.
    ///
    ///     +-----+-----+-------+------+----------+----------+
    ///     |  5  | CMD | X'00' | ATYP | DST.ADDR | DST.PORT |
    ///     +-----+-----+-------+------+----------+----------+
    static func connect(to origin: Origin) -> [UInt8] {
        var bytes: [UInt8] = [5, 1, 0]
        switch origin.host.form {
        case .ipv4(let address):
            bytes.append(1)
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: address.rawValue >> (24 - 8 * UInt32($0))) }
        case .ipv6(let address):
            bytes.append(4)
            bytes += (0..<16).map { UInt8(truncatingIfNeeded: address.rawValue >> (120 - 8 * UInt128($0))) }
        case .name(let name):
            // A host name has 253 bytes at most.
            bytes += [3, UInt8(truncatingIfNeeded: name.count)]
            bytes += name
        }
        return bytes + [UInt8(origin.port >> 8), UInt8(truncatingIfNeeded: origin.port)]
    }

    /// Takes the proxy's choice of a method; `nil` before it has come.
    static func takeMethod(_ bytes: inout ByteBuffer) throws(SOCKSError) -> Method? {
        if let first = bytes.readableBytesView.first, first != 5 { throw .notSOCKS }
        guard let choice: UInt16 = bytes.readInteger() else { return nil }
        guard let method = Method(rawValue: UInt8(truncatingIfNeeded: choice)) else { throw .noMethod }
        return method
    }

    /// Takes the proxy's word on the log-on; `nil` before it has come.
    static func takeLogOn(_ bytes: inout ByteBuffer) throws(SOCKSError) -> Bool? {
        if let first = bytes.readableBytesView.first, first != 1 { throw .notSOCKS }
        guard let answer: UInt16 = bytes.readInteger() else { return nil }
        return answer & 0xFF == 0
    }

    /// Takes the whole reply to the request for a connection; `false` before it has come.
    static func takeReply(_ bytes: inout ByteBuffer) throws(SOCKSError) -> Bool {
        let head = Array(bytes.readableBytesView.prefix(5))
        if let first = head.first, first != 5 { throw .notSOCKS }
        // A refusal need not have an address.
        if head.count >= 2, head[1] != 0 { throw .refused(SOCKSError.Reply(rawValue: head[1]) ?? .other) }
        guard head.count == 5 else { return false }
        let address: Int
        switch head[3] {
        case 1: address = 4
        case 3: address = 1 + Int(head[4])
        case 4: address = 16
        default: throw .notSOCKS
        }
        let count = 4 + address + 2
        guard bytes.readableBytes >= count else { return false }
        bytes.moveReaderIndex(forwardBy: count)
        return true
    }
}
