internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import RequestFlow
internal import Sallyport

/// Credentials that the profile does not have.
extension AuthenticationClientHandler {
    /// Fetches the token of a request before it is sent; then it begins.
    func prepare(_ request: PipelinedRequest, _ authenticator: Authenticator, _ outgoing: OutgoingRequest) {
        let route = route
        wait(
            for: CredentialWait {
                try await authenticator.prepare(outgoing, by: route)
                return .repeatRequest
            },
            about: nil,
            request
        )
    }

    /// Notes how a request has ended. Returns whether its response has to wait for the authenticator's advice.
    func noteEnd(_ outcome: RequestOutcome, _ request: PipelinedRequest) -> Bool {
        guard let authenticator, let handler = request.handler else { return false }
        return authenticator.noteEnd(
            outcome,
            of: outgoing(request, .none),
            by: route,
            with: handler,
            canRepeat: request.body.isWhole && !request.isBodySpent
        )
    }

    /// Holds the response, and asks.
    func ask(about outcome: RequestOutcome, _ request: PipelinedRequest) {
        guard let authenticator, let handler = request.handler else { return deliver(outcome, request) }
        let (route, repetitions, outgoing) = (route, request.repetitions, outgoing(request, .none))
        let fields = request.answering.flow?.challenge?.fields ?? [:]
        wait(
            for: CredentialWait {
                try await authenticator.advice(
                    after: outcome,
                    of: outgoing,
                    by: route,
                    fields: fields,
                    with: handler,
                    repetitions: repetitions
                )
            },
            about: outcome,
            request
        )
    }

    /// Waits for the answer to a question. If there is a credential now, the request begins anew on another connection: what this one is
    /// authenticated for is not known.
    ///
    /// - Parameter outcome: how the request ended; `nil` before it is sent.
    func wait(for question: CredentialWait, about outcome: RequestOutcome?, _ request: PipelinedRequest) {
        guard let loop = context?.eventLoop else { return }
        cancelTimer()
        (phase, asking) = (.asking(outcome), question)
        question.whenAnswered(on: loop) { [weak self, weak question] answer in
            guard let self, mode == .working, current === request, let question, asking === question else { return }
            defer { readEventHasEnded() }
            asking = nil
            switch (answer, outcome) {
            case (.failure(let error), _): fail(.noCredential(error))
            case (.success(.deliver), let outcome?): deliver(outcome, request)
            case (.success, nil):
                phase = .gathering
                begin(request, isPrepared: true)
            case (.success(.repeatRequest), _):
                request.repetitions += 1
                (request.heldResponse, request.key) = (HeldResponse(), nil)
                handOver(request, .begin)
            }
        }
    }

    /// The `Referer` that the token of a request demands.
    func referer(of request: PipelinedRequest) -> String? {
        authenticator?.referer(of: outgoing(request, .none), by: route)
    }
}
