internal import ClientAuthentication
internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOCore

/// What a proxy hears about a client's request.
enum CheckResponse {
    case accepted(ClientAcceptance)
    case refused(ClientRefusal)
    /// The proxy's check itself is not understood.
    case unusable
    /// As many requests wait for the directory as may.
    case busy

    /// Why, in a word for a proxy's log and its pages. It names no account.
    enum Reason: String {
        case accepted, unanswered, unreadable, wrong, stale, guesses, handshake, directory, check, busy

        init(_ reason: ClientRefusal.Reason) {
            switch reason {
            case .unanswered: self = .unanswered
            case .unreadable: self = .unreadable
            case .wrong: self = .wrong
            case .stale: self = .stale
            case .tooManyGuesses: self = .guesses
            case .ntlm, .negotiation, .ticket: self = .handshake
            case .noReply: self = .directory
            }
        }
    }

    private var reason: Reason {
        switch self {
        case .accepted: .accepted
        case .refused(let refusal): Reason(refusal.reason)
        case .unusable: .check
        case .busy: .busy
        }
    }

    private var status: Int {
        switch self {
        case .accepted: 200
        case .refused(let refusal): refusal.status
        case .unusable: 403
        case .busy: 503
        }
    }

    /// The fields besides the reason.
    ///
    /// - Parameter onlyFirst: whether the client gets one challenge at most.
    private func fields(onlyFirst: Bool) -> [HTTPField] {
        switch self {
        case .accepted(let acceptance):
            let client = acceptance.client
            // The domain also where it is empty: Caddy puts the name of its own variable in place of a field that does not come.
            return [
                HTTPField(name: .user, value: client.name.user), HTTPField(name: .domain, value: client.name.domain),
                HTTPField(name: .scheme, value: "\(client.scheme)"),
            ] + acceptance.fields
        case .refused(let refusal):
            guard onlyFirst else { return Array(refusal.fields) }
            var isChallenged = false
            return refusal.fields.filter { field in
                guard field.name == .wwwAuthenticate else { return true }
                defer { isChallenged = true }
                return !isChallenged
            }
        case .unusable: return []
        case .busy: return [HTTPField(name: .retryAfter, value: "1")]
        }
    }

    /// Appends the response for a proxy.
    func write(to out: inout ByteBuffer, for front: FrontProxy, closes: Bool) {
        out.writeStaticString("HTTP/1.1 ")
        let status = front.status(status)
        out.writeString("\(status)")
        // A word is not needed (RFC 9112 section 4).
        out.writeStaticString(" \r\nContent-Length: 0\r\nCache-Control: no-store\r\nX-Sallyport-Reason: ")
        out.writeString(reason.rawValue)
        for field in fields(onlyFirst: front.passesOneChallenge) {
            out.writeStaticString("\r\n")
            out.writeString(field.name.rawName)
            out.writeStaticString(": ")
            // In bounds: the bytes are the field's own.
            unsafe field.withUnsafeBytesOfValue { _ = unsafe out.writeBytes($0) }
        }
        out.writeStaticString(closes ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n")
    }
}

extension HTTPField.Name {
    // What proxies pass on to their servers. The names are legal.
    fileprivate static let user = HTTPField.Name("X-Sallyport-User") ?? .authorization
    fileprivate static let domain = HTTPField.Name("X-Sallyport-Domain") ?? .authorization
    fileprivate static let scheme = HTTPField.Name("X-Sallyport-Scheme") ?? .authorization
}
