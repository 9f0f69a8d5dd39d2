internal import NIOHTTP1
internal import OAuth
internal import Sallyport

extension RequestDrive {
    /// Whether the body of a success has to be read before it is delivered.
    func mayBeRefused(_ response: ClientResponse) -> Bool {
        guard let authenticator = client.authenticator, request.body.canRepeat else { return false }
        return authenticator.mayBeRefusedInBody(
            request.outgoing,
            by: route,
            status: Int(response.status.code),
            contentType: response.headers.first(name: "Content-Type")
        )
    }

    /// Whether the request is sent again, because its authenticator has found another token.
    func isRepeated(after problem: ArcGISProblem, _ repetitions: Int) async throws -> Bool {
        guard let authenticator = client.authenticator else { return false }
        let advice = try await authenticator.advice(
            after: problem,
            of: request.outgoing,
            by: route,
            with: handler,
            repetitions: repetitions
        )
        return advice == .repeatRequest
    }
}

extension ClientResponse {
    /// The same response, and the error that its body holds. At most `Authenticator.refusalBytes` and one part of the body are read.
    func lookingForProblem() async throws -> (ClientResponse, ArcGISProblem?) {
        var parts = body.makeAsyncIterator()
        let begin = try await BodyBegin(reading: &parts)
        if !begin.isWhole, let origin = parts.origin {
            return (with(ResponseBody(.begun(BegunBody(begin.bytes, then: parts.source), from: origin))), nil)
        }
        return (with(ResponseBody(.complete(begin.bytes))), begin.problem)
    }
}
