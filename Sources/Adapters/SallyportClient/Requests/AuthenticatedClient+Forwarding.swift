public import NIOCore
public import NIOHTTP1
internal import Sallyport
internal import SallyportNIO

extension AuthenticatedClient {
    /// Sends the request of a program that uses a proxy of yours, and writes the response to the program's channel.
    ///
    /// What concerns one connection alone is not passed on, in either direction, and neither is `Authorization`: one program's log-on at a server
    /// would authenticate a connection that others get.
    ///
    /// - Parameters:
    ///   - head: with a target in absolute form.
    ///   - body: the whole of it.
    ///   - channel: the channel of the program, with NIO's handlers of HTTP, whose encoder does not set framing fields by itself.
    ///   - name: the name of the proxy in `Via`. A request that has it already has gone in a circle.
    ///   - deadline: when the response must be complete; `nil` for ``ClientSettings/totalLimit``.
    /// - Throws: what ``execute(_:deadline:)`` throws, a `Refusal` if the parent proxy is not answered, or
    ///   `CancellationError`. Nothing was written then. A response that breaks off closes the channel.
    public func forward(
        _ head: HTTPRequestHead,
        _ body: ByteBuffer,
        on channel: any Channel,
        as name: String,
        deadline: NIODeadline? = nil
    ) async throws {
        guard !head.headers[canonicalForm: "Via"].contains(where: { $0.hasSuffix(" \(name)") }) else {
            throw ClientError.badRequest(reason: "the request came through \(name) before: its proxies form a circle")
        }
        var headers = head.headers.endToEnd
        // The client writes the others.
        for field in ["Host", "Content-Length", "Expect", "Authorization"] { headers.remove(name: field) }
        headers.add(name: "Via", value: "1.1 \(name)")
        var request = try ClientRequest(url: head.uri, method: head.method, headers: headers)
        if body.readableBytes > 0 { request.body = .bytes(body) }
        let response = try await execute(request, deadline: deadline)
        // The program cannot answer what the other proxy asks for.
        if case .withheld(let refusal, by: .proxy) = response.outcome { throw refusal }
        do {
            if try await write(response, to: head, on: channel) { return }
        } catch {}
        channel.close(promise: nil)
    }

    /// Returns whether the channel can carry another request.
    private func write(
        _ response: ClientResponse,
        to head: HTTPRequestHead,
        on channel: any Channel
    ) async throws -> Bool {
        let isKept = head.isKeepAlive && head.version == .http1_1
        var reply = HTTPResponseHead(
            version: .http1_1,
            status: response.status,
            headers: response.headers.endToEnd
        )
        let isFramed = head.method == .HEAD || reply.headers.contains(name: "Content-Length")
        if !isFramed, head.version == .http1_1, response.status.mayHaveResponseBody {
            reply.headers.add(name: "Transfer-Encoding", value: "chunked")
        }
        if !isKept { reply.headers.add(name: "Connection", value: "close") }
        func send(_ part: HTTPServerResponsePart) async throws { try await channel.writeAndFlush(part).get() }
        try await send(.head(reply))
        for try await bytes in response.body { try await send(.body(.byteBuffer(bytes))) }
        try await send(.end(nil))
        return isKept
    }
}
