internal import Credentials
package import HTTPAuthentication
package import NTLM

/// What an exchange is made from.
package struct SchemeInput: Sendable {
    package let account: SchemeAccount
    package let request: ChallengedRequest
    /// For schemes that bind themselves to TLS.
    package let binding: ChannelBindings?

    /// The parts of the request that answers depend on.
    package var exchangeRequest: ExchangeRequest {
        ExchangeRequest(
            method: request.method,
            target: request.target,
            host: request.host,
            body: request.body,
            origin: "\(request.origin)"
        )
    }
}
