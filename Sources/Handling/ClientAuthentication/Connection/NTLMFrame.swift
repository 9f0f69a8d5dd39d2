internal import HTTPAuthentication
internal import NTLM
internal import Negotiate
internal import WireFormat

/// What is around the messages of NTLM.
enum NTLMFrame {
    /// Nothing, under the name of a scheme.
    case none(AuthenticationScheme)
    /// SPNEGO, under the name Negotiate.
    case negotiation(ServerNegotiation)

    /// The scheme that the client uses.
    var scheme: AuthenticationScheme {
        switch self {
        case .none(let scheme): scheme
        case .negotiation: .negotiate
        }
    }

    /// The field value with the CHALLENGE.
    mutating func challenge(_ message: [UInt8]) -> String {
        switch self {
        case .none(let scheme):
            return "\(Self.fieldName(scheme)) " + Base64.encode(message.span)
        case .negotiation(var negotiation):
            let token = negotiation.reply(message)
            self = .negotiation(negotiation)
            return "Negotiate " + Base64.encode(token.span)
        }
    }

    /// The field value of the response that accepts the client; `nil` without SPNEGO.
    ///
    /// - Throws: what is wrong with the client's code over the list of mechanisms.
    func completion(_ signatures: FirstSignatures?) throws(NegotiationError) -> String? {
        guard case .negotiation(var negotiation) = self else { return nil }
        let token = try negotiation.completion(
            hasKeys: signatures != nil,
            verify: { signatures?.accepts($0, of: $1.span) ?? false },
            make: { signatures?.sign($0.span) }
        )
        return "Negotiate " + Base64.encode(token.span)
    }

    private static func fieldName(_ scheme: AuthenticationScheme) -> String { scheme == .ntlm ? "NTLM" : "Negotiate" }
}
