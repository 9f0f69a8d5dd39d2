import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient
import SallyportNIO

/// The snippet of ForwardingProxy.md.
enum ForwardingProxySnippet {
    static func serve(_ authenticator: Authenticator, _ parent: String, at address: SocketAddress) async throws {
        typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
        var settings = ClientSettings()
        settings.proxy = { _ in try? Origin(parsing: parent) }  // such as http://proxy.corp.example:3128
        settings.redirects = 0  // the program follows them itself
        let client = AuthenticatedClient(authenticator, settings: settings)
        @Sendable func answer(_ head: HTTPRequestHead, _ body: ByteBuffer) async throws -> ClientResponse {
            var headers = head.headers.endToEnd
            // The client writes these. One program's log-on at a server would authenticate a connection that others get.
            for name in ["Host", "Content-Length", "Expect", "Authorization"] { headers.remove(name: name) }
            headers.add(name: "Via", value: "1.1 forwarding-proxy")
            var request = try ClientRequest(url: head.uri, method: head.method, headers: headers)
            if body.readableBytes > 0 { request.body = .bytes(body) }
            return try await client.execute(request)
        }
        @Sendable func talk(_ connection: Connection) async throws {
            try await connection.executeThenClose { parts, writer in
                var (head, body) = (HTTPRequestHead(version: .http1_1, method: .GET, uri: ""), ByteBuffer())
                for try await part in parts {
                    switch part {
                    case .head(let next): (head, body) = (next, ByteBuffer())
                    case .body(var bytes): if body.writeBuffer(&bytes) > 0, body.readableBytes > 1 << 20 { return }
                    case .end:
                        var reply = HTTPResponseHead(version: .http1_1, status: .badGateway)
                        let response: ClientResponse
                        do { response = try await answer(head, body) } catch {  // such as a refused password, in words
                            try await writer.write(.head(reply))
                            return try await writer.write(.body(.byteBuffer(ByteBuffer(string: "\(error)\n"))))
                        }
                        (reply.status, reply.headers) = (response.status, response.headers.endToEnd)
                        let isFramed = head.method == .HEAD || reply.headers.contains(name: "Content-Length")
                        if !isFramed, head.version == .http1_1, response.status.mayHaveResponseBody {
                            reply.headers.add(name: "Transfer-Encoding", value: "chunked")
                        }
                        try await writer.write(.head(reply))
                        for try await bytes in response.body { try await writer.write(.body(.byteBuffer(bytes))) }
                        try await writer.write(.end(nil))
                        if !head.isKeepAlive || head.version != .http1_1 { return }
                    }
                }
            }
        }
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false  // it does not know which responses answer HEAD
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(to: address) { [encoding] channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withEncoderConfiguration: encoding)
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        try await server.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections { group.addTask { try? await talk(connection) } }
            }
        }
    }
}
