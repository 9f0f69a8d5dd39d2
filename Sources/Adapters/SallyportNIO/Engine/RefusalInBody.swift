internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import Synchronization
internal import Tokens

extension RequestDrive {
    /// Whether the body of a success has to be read before it is delivered.
    func mayBeRefused(_ response: ClientResponse) -> Bool {
        guard let authenticator = client.authenticator, response.status.code == 200, request.body.canRepeat,
            authenticator.mayBeRefusedInBody(request.outgoing, by: route)
        else { return false }
        // Errors are JSON; ArcGIS servers also call that plain text.
        let kind = response.headers.first(name: "Content-Type")?.lowercased() ?? ""
        return kind.contains("json") || kind.hasPrefix("text/plain")
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
        var read = ByteBuffer()
        while var part = try await parts.next() {
            read.writeBuffer(&part)
            guard read.readableBytes <= Authenticator.refusalBytes else {
                return (with(ResponseBody(.begun(BegunBody(read, then: parts.source)))), nil)
            }
        }
        let bytes = Array(read.readableBytesView)
        return (with(ResponseBody(.complete(read))), ArcGISProblem(inBody: bytes.span))
    }
}

/// A body whose begin was read.
final class BegunBody: Sendable {
    /// What was read.
    let bytes: ByteBuffer
    private let rest: Mutex<ResponseBody.Producer.AsyncIterator?>

    init(_ bytes: ByteBuffer, then rest: sending ResponseBody.Producer.AsyncIterator?) {
        self.bytes = bytes
        self.rest = Mutex(rest)
    }

    /// What follows, for the one reader of the body.
    func takeRest() -> sending ResponseBody.Producer.AsyncIterator? {
        rest.withLock { rest in
            let taken = rest
            rest = nil
            return taken
        }
    }
}
