internal import HTTPAuthentication
internal import Secrets
internal import WireFormat

extension DigestCredentials {
    /// The digits of H(A1), which the caller erases, and whether `secret` has them. Without they take as long to make.
    func key(_ secret: ClientSecret?) -> (digits: [UInt8], isKnown: Bool) {
        func computed(_ password: SharedSecret) -> [UInt8] {
            DigestSecret.digits(of: password, user: name, realm: realm, by: hash)
        }
        switch secret {
        case .password(let password): return (computed(password), true)
        // As long as for an unknown account.
        case .digest(let known) where hash == .md5 && known.user == name && known.realm == realm:
            _ = computed(ClientSecret.standInPassword)
            return (known.digits.withBytes { [UInt8](copying: $0) }, true)
        case .digest, .ntHash, nil: return (computed(ClientSecret.standInPassword), false)
        }
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
