internal import HTTPAuthentication
internal import Secrets
internal import WireFormat

extension DigestCredentials {
    /// The digits of H(A1), which the caller erases.
    func key(_ password: SharedSecret) -> [UInt8] {
        let head = "\(name):\(realm):".utf8
        var plain: [UInt8] = []
        plain.reserveCapacity(head.count + password.count)
        defer { erase(&plain) }
        plain.append(contentsOf: head)
        password.withBytes { plain.append(copying: $0) }
        return hash.digits(of: plain.span)
    }

    /// The right response to a request with `method`; for the server's own proof the method is empty.
    func response(_ key: [UInt8], method: String) -> [UInt8] {
        let signed = hash.digits(of: [UInt8]("\(method):\(target)".utf8).span)
        var message: [UInt8] = []
        message.reserveCapacity(2 * key.count + nonce.utf8.count + clientNonce.utf8.count + 32)
        defer { erase(&message) }
        message += key
        message += [UInt8](":\(nonce):\(countDigits):\(clientNonce):auth:".utf8)
        message += signed
        return hash.digits(of: message.span)
    }

    /// Whether the response is right.
    func isRight(_ key: [UInt8], method: String) -> Bool {
        constantTimeEqual(response(key, method: method).span, [UInt8](response.lowercased().utf8).span)
    }
}
