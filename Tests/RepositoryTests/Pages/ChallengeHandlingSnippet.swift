import Sallyport

/// The snippet of ChallengeHandling.md.
enum ChallengeHandlingSnippet {
    typealias Response = (status: Int, fields: HTTPFields)

    /// Returns `nil` if the response is not the result.
    static func decide(
        _ profile: SecurityProfile,
        _ origin: Origin,
        leaf: [UInt8],
        _ response: Response,
        fetch: (SystemMessageNeed) async throws -> SchemeSupply,
        repeatRequest: (ChallengeAnswer) async throws -> Void
    ) async throws -> Response? {
        let handler = try ChallengeHandler(profile: profile)
        var exchange = handler.exchange(
            for: ChallengedRequest(origin: origin, method: "GET", target: "/", serverCertificate: leaf)
        )
        switch exchange.received(status: response.status, fields: response.fields) {
        case .answer(let answer): try await repeatRequest(answer)  // on the same connection if the answer says so
        case .wait(let turn): try await turn.ready()  // then pass the response again
        case .needs(let need): _ = exchange.supplied(try await fetch(need))  // the next decision
        case .accepted, .notChallenged: return response  // the result
        case .withhold(let refusal): print(refusal)  // reason and remedy; send no credential
        }
        return nil
    }
}
