import HTTPAuthentication
import HTTPTypes
import Negotiate
import Secrets

/// The snippets of HTTPAuthentication.md.
enum HTTPAuthenticationSnippet {
    typealias Response = (status: Int, fields: HTTPFields)

    /// Returns `nil` if the response is not the answer.
    static func basic(
        _ password: SharedSecret,
        _ response: Response,
        fetch: (SystemMessageNeed) async throws -> SchemeSupply,
        repeatRequest: (HTTPField, Bool) async throws -> Void
    ) async throws -> Response? {
        var exchange = AuthenticationExchange.basic(
            PasswordCredential(user: "jdoe", password: password),
            party: .origin
        )
        switch exchange.received(status: response.status, fields: response.fields) {
        case .send(let field, let value, let sameConnection):
            try await repeatRequest(value.field(named: field), sameConnection)
        case .needs(let need): _ = exchange.supplied(try await fetch(need))  // the next step
        case .done: return response  // the answer
        case .fail(let failure): throw failure  // send no more messages
        }
        return nil
    }

    /// Returns `nil` if there is no session, or if its answer was refused.
    static func digest(
        _ exchange: consuming AuthenticationExchange,
        send: (HTTPField) async throws -> Response
    ) async throws -> Response? {
        if var session = exchange.takeDigestSession(), session.covers(target: "/reports") {
            let answer = try session.answer(method: "GET", target: "/reports")
            let response = try await send(answer.value.field(named: exchange.party.answerField))
            switch session.received(status: response.status, fields: response.fields, to: answer) {
            case .done: return response  // the answer
            case .answerAgain: break  // the nonce was stale: session.answer(…, after: answer), and send again
            case .challenged, .otherRealm, .otherNonce: break  // give the response to a new exchange
            case .fail(let failure): throw failure  // do not use the response
            }
        }
        return nil
    }
}
