internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import Waiting

/// One request without redirects: over AsyncHTTPClient, or over connections of our own where it needs them.
struct Hop: Sendable {
    let client: HTTPClient
    let authenticator: HTTPClientAuthenticator
    let request: ClientRequest
    let deadline: NIODeadline

    /// What the whole gets beyond its deadline.
    private static let grace = TimeAmount.seconds(1)

    /// When a request with this deadline is given up. AsyncHTTPClient ends its part at the deadline itself, and says then why its last
    /// connection failed.
    static func end(_ deadline: NIODeadline) -> NIODeadline {
        deadline == .distantFuture ? deadline : deadline + grace
    }

    func response(original: HTTPClientRequest, repetitions: Int = 0) async throws -> AuthenticatedResponse {
        try await authenticator.own.authenticator?.prepare(request.withoutBody)
        let handler = authenticator.handler
        guard !authenticator.needsOwnConnection(request, handler) else { return try await own() }
        let outgoing = request.outgoing
        let facts = authenticator.own.facts(of: request)
        func flow() -> RunningFlow { RunningFlow(RequestFlow(handler, outgoing, by: .direct, facts)) }
        var answering: Answering
        var command: FlowCommand
        if facts.answersInAdvance, request.body.canRepeat, let answer = handler.answerInAdvance(to: outgoing) {
            (answering, command) = (.inAdvance(answer), .send(answer.sending))
        } else {
            let flow = flow()
            (answering, command) = (.flow(flow), flow.report { $0.begin() })
        }
        /// The response that has begun.
        var arriving: HTTPClientResponse?
        /// A response that may be the result, when another request has been waited for.
        var kept: HTTPClientResponse?
        while true {
            switch command {
            case .send(let sending):
                let response = try await sent(prepared(original, sending), answering)
                command = received(response, &answering, flow)
                arriving = response
                guard answering.flow?.isBindingConnection == true else { continue }
                // Ends its attempt, which is unsent. Otherwise the request would wait for itself.
                answering = .nothing
                authenticator.rememberBound(request.origin)
                _ = try await response.body.drop(within: authenticator.own.settings)
                return try await own()
            case .drop:
                _ = try await arriving.take()?.body.drop(within: authenticator.own.settings)
                // AsyncHTTPClient chooses the next connection.
                command = answering.runningFlow(flow).report { $0.dropped(.reusable) }
            case .wait(let turn):
                if let response = arriving.take() { kept = try await keep(response) }
                try await turn.ready()
                command = answering.runningFlow(flow).report { $0.resumed(keepsConnection: false) }
            case .deliver(let outcome):
                guard let response = arriving ?? kept else { throw challengeTooLong }
                let result = AuthenticatedResponse(response: response, outcome: outcome)
                return try await deliver(result, handler, original: original, repetitions: repetitions)
            case .fail(.notProven(let refusal, by: _)): throw ClientError.notProven(request.origin, refusal)
            case .fail(.needNotMet(let need)): throw ClientError.needsSupply(need)
            case .fail(.refusalTooLong): throw challengeTooLong
            // Only a handshake that binds its connection sends no body, and those are not AsyncHTTPClient's.
            case .fail(.connectionLost), .fail(.handshakeLost), .fail(.bodyUnseen):
                throw ClientError.connectionLost(request.origin)
            }
        }
    }

    /// What a response means.
    private func received(
        _ response: HTTPClientResponse,
        _ answering: inout Answering,
        _ flow: () -> RunningFlow
    ) -> FlowCommand {
        let status = Int(response.status.code)
        if ChallengedParty(challengingWith: status) == nil,
            let outcome = answering.outcome(of: status, fields: HTTPFields(response.headers), isPassedOn: false)
        {
            return .deliver(outcome)
        }
        return answering.runningFlow(flow).report { $0.received(facts(of: response)) }
    }

    private func isUnsent(_ error: any Error) -> Bool {
        if case .notConnected? = error as? ClientError { true } else { false }
    }

    private var challengeTooLong: ClientError {
        .challengeTooLong(request.origin, limit: authenticator.own.settings.drainedBytes)
    }

    private func facts(of response: HTTPClientResponse) -> FlowResponse {
        FlowResponse(
            status: Int(response.status.code),
            fields: HTTPFields(response.headers),
            on: ConnectionTraits(
                security: request.origin.scheme == .https ? .unknownLeaf : ConnectionTraits.Security.none
            ),
            keepsConnection: true,
            bodyIsSpent: !request.body.canRepeat
        )
    }

    /// Returns the response, or repeats the request with a credential that its authenticator finds.
    private func deliver(
        _ result: AuthenticatedResponse,
        _ handler: ChallengeHandler,
        original: HTTPClientRequest,
        repetitions: Int
    ) async throws -> AuthenticatedResponse {
        guard let credentials = authenticator.own.authenticator else { return result }
        let (outcome, canRepeat) = (result.outcome, request.body.canRepeat)
        guard credentials.noteEnd(outcome, of: request.outgoing, with: handler, canRepeat: canRepeat),
            try await credentials.advice(
                after: outcome,
                of: request.outgoing,
                fields: HTTPFields(result.response.headers),
                with: handler,
                repetitions: repetitions
            ) == .repeatRequest
        else {
            return try await deliver(result, credentials, handler, original: original, repetitions: repetitions)
        }
        _ = try await result.response.body.drop(within: authenticator.own.settings)
        return try await self.response(original: original, repetitions: repetitions + 1)
    }

    /// Returns the response, or repeats the request with another token if the body of a success refuses the token that was sent.
    private func deliver(
        _ result: AuthenticatedResponse,
        _ credentials: Authenticator,
        _ handler: ChallengeHandler,
        original: HTTPClientRequest,
        repetitions: Int
    ) async throws -> AuthenticatedResponse {
        guard request.body.canRepeat,
            credentials.mayBeRefusedInBody(
                request.outgoing,
                status: Int(result.response.status.code),
                contentType: result.response.headers.first(name: "Content-Type")
            )
        else { return result }
        let (response, begin) = try await result.response.lookingForProblem()
        var result = result
        result.response = response
        guard let problem = begin.problem,
            try await credentials.advice(
                after: problem,
                of: request.outgoing,
                with: handler,
                repetitions: repetitions
            ) == .repeatRequest
        else { return result }
        return try await self.response(original: original, repetitions: repetitions + 1)
    }

    /// Sends a request over AsyncHTTPClient, and says in our words why it has no response.
    private func sent(_ prepared: HTTPClientRequest, _ answering: Answering) async throws -> HTTPClientResponse {
        do {
            let response = try await client.execute(prepared, deadline: deadline)
            answering.sendHasBegun()
            return response
        } catch {
            let problem = await problem(error)
            // AsyncHTTPClient does not say how much of a request has left.
            if !isUnsent(problem) { answering.sendHasBegun() }
            throw problem
        }
    }

    /// Why a request has no response, in our words.
    private func problem(_ error: any Error) async -> any Error {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded: return ClientError.deadlineExceeded
        case let error as HTTPClientError where error == .connectTimeout:
            let reason = "no answer within the timeout of the client: check host, port and firewall"
            return ClientError.notConnected(request.origin, reason: reason)
        case let defect as ResponseDefect:
            return ClientError.malformedResponse(request.origin, reason: defect.problem)
        case let error where ConnectReason.isNoConnection(error):
            return ClientError.notConnected(request.origin, error)
        default: return await authenticator.own.explain(error, of: request.origin, until: deadline) ?? error
        }
    }

    private func own() async throws -> AuthenticatedResponse {
        let response = try await Deadline.run(until: deadline) {
            try await authenticator.own.executeOnce(request, deadline: deadline)
        }
        return AuthenticatedResponse(
            response: HTTPClientResponse(
                status: response.status,
                headers: response.headers,
                body: .stream(response.body)
            ),
            outcome: response.outcome
        )
    }

    /// The request with its answers, as AsyncHTTPClient takes it.
    private func prepared(_ original: HTTPClientRequest, _ sending: RequestSending) throws -> HTTPClientRequest {
        let target = sending.target(request.target)
        var prepared = HTTPClientRequest(url: request.origin.text(before: target, reusing: original.url))
        prepared.method = request.method
        prepared.headers = request.headers
        prepared.tlsConfiguration = original.tlsConfiguration
        prepared.body = RequestBodies.body(of: request)
        // What the token of the place demands; a redirect takes the caller's own fields along and not this one.
        if let referer = authenticator.own.authenticator?.referer(of: request.withoutBody) {
            prepared.headers.replaceOrAdd(name: "Referer", value: referer)
        }
        try prepared.headers.replace(with: sending)
        return prepared
    }

    /// Reads a response that may become the result; `nil` if it is too long.
    private func keep(_ response: HTTPClientResponse) async throws -> HTTPClientResponse? {
        var whole = ByteBuffer()
        for try await var part in response.body {
            guard whole.readableBytes + part.readableBytes <= authenticator.own.settings.drainedBytes else {
                return nil
            }
            whole.writeBuffer(&part)
        }
        var kept = response
        kept.body = .bytes(whole)
        return kept
    }
}
