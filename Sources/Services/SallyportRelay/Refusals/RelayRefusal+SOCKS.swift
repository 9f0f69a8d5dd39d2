internal import NIOCore

/// What clients of SOCKS get in place of a tunnel (RFC 1928 and RFC 1929).
extension RelayRefusal {
    /// Whether a parent took no connection; one that it ended, or that TLS refused, was taken.
    var isUnreachable: Bool { if case .notConnected = self { true } else { false } }

    /// The code of the reply to a request (RFC 1928 section 6).
    var socksReply: SOCKSError.Reply {
        switch self {
        case .forbidden, .forbiddenProxy, .unknownOwner: .notAllowed
        case .socks(_, .refused(let reply)), .notConnected(_, _, let reply): reply
        case .noTunnel(_, let status): Self.reply(toStatus: status)
        case .stalled: .expired
        case .socksClient(.command): .noCommand
        case .socksClient(.addressType): .noAddressType
        default: .failure
        }
    }

    /// What a parent's refusal of a CONNECT says about the server. Squid answers 503 if it cannot connect to it.
    private static func reply(toStatus status: Int) -> SOCKSError.Reply {
        switch status {
        case 403, 451: .notAllowed
        case 502, 503: .hostUnreachable
        case 504: .expired
        default: .failure
        }
    }

    /// The answer to the client, after which the connection is closed; `nil` if it knows none at this stage.
    func socksAnswer(at stage: SOCKSStage) -> ByteBuffer? {
        switch (stage, self) {
        case (.methods, .socksClient(.version4)): ForeignProtocol.socks4.answer("").map { ByteBuffer(bytes: $0) }
        // Mostly a client of HTTP that has the wrong port.
        case (.methods, .socksClient(.notSOCKS)): ByteBuffer(string: response(isHead: false))
        case (.methods, .socksClient): ByteBuffer(bytes: SOCKSAnswers.noMethod)
        case (.methods, _): nil
        case (.logOn, _): ByteBuffer(bytes: SOCKSAnswers.notLoggedOn)
        case (.request, _), (.asked, _): ByteBuffer(bytes: SOCKSAnswers.reply(socksReply))
        }
    }
}
