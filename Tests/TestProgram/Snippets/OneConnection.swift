import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Sallyport

/// A response, as the loop of GettingStarted.md needs it.
struct Response {
    let status: Int
    let fields: HTTPFields
    let connection: ConnectionTraits
}

/// What the page leaves to its reader: requests over one connection of TLS, whatever their URL says about the port.
enum OneConnection {
    /// How many responses may come before the loop counts as endless.
    private static let mostResponses = 10

    /// Connects to `port` of this machine as to `host`, and runs the loop with a function that sends on that connection.
    static func run(
        _ host: String,
        port: Int,
        path: String,
        pathOfSecret: String
    ) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(ProcessInfo.processInfo.environment["SSL_CERT_FILE"] ?? "")
        let context = try NIOSSLContext(configuration: configuration)
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: host))
                    try pipeline.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            var sent = 0
            let (response, outcome) = try await GettingStartedSnippet.response(pathOfSecret: pathOfSecret) {
                request,
                sending in
                sent += 1
                guard sent <= mostResponses else { throw Endless() }
                var headers: HTTPHeaders = ["Host": host]
                for field in sending.fields { headers.add(name: field.name.canonicalName, value: field.value) }
                // The page asks for /start; the server of the test has its page elsewhere.
                _ = request
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
                try await outbound.write(.head(head))
                try await outbound.write(.end(nil))
                var fields = HTTPFields()
                var status = 0
                while let part = try await parts.next() {
                    switch part {
                    case .head(let head):
                        status = Int(head.status.code)
                        for (name, value) in head.headers {
                            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
                        }
                        continue
                    case .body: continue
                    case .end: break
                    }
                    break
                }
                let leaf = try await connection.channel.nioSSL_peerCertificate().get()?.toDERBytes()
                let security = leaf.map { ConnectionTraits.Security.leaf($0) } ?? .unknownLeaf
                return Response(status: status, fields: fields, connection: .init(id: 1, security: security))
            } fetch: { _ in
                .unavailable
            }
            return "\(response?.status ?? 0), \(outcome), \(sent) requests"
        }
    }

    private struct Endless: Error {}
}
