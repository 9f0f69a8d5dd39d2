import NTLM

// Arrays instead of spans: an expectation cannot hold a span.

extension NegotiateMessage {
    init(reading bytes: [UInt8]) throws(MessageError) { try self.init(parsing: bytes.span) }
}

extension ChallengeMessage {
    init(reading bytes: [UInt8]) throws(MessageError) { try self.init(parsing: bytes.span) }
}

extension AuthenticateMessage {
    init(reading bytes: [UInt8]) throws(MessageError) { try self.init(parsing: bytes.span) }
}

extension NTLMv2Response {
    init(reading bytes: [UInt8]) throws(MessageError) { try self.init(parsing: bytes.span) }
}

extension TargetInfo {
    init(reading bytes: [UInt8]) throws(MessageError) { try self.init(parsing: bytes.span) }
}
