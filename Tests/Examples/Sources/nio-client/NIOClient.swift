import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO

/// Requests a URL on a bare SwiftNIO channel: `nio-client URL USER PASSWORDFILE`.
@main
enum NIOClient {
    typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else {
            print("usage: nio-client URL USER PASSWORDFILE")
            exit(2)
        }
        let (url, site) = (words[1], try URLLocation(parsing: words[1]))
        let account = Account(name: "me", user: words[2], password: try SecretReference.file(path: words[3]).load())
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "\(site.origin)", name: "sites"),
            schemes: [.ntlm, .digest],
            accounts: [.init(account, sites: ["\(site.origin)"])]
        )
        let handlers = CurrentHandler(try ChallengeHandler(profile: profile))
        let tls = TLSConnector(handlers)

        // A refused request may need another connection. Its handler then goes on with what was written already.
        var continuing: ContinuedRequest?
        while true {
            do {
                print(try await response(url, site, handlers, tls, continuing))
                return
            } catch AuthenticationError.connectionNeeded(let request) {
                continuing = request
            }
        }
    }

    static func response(
        _ url: String,
        _ site: URLLocation,
        _ handlers: CurrentHandler,
        _ tls: TLSConnector,
        _ continuing: ContinuedRequest?
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "\(site.origin.host)", port: Int(site.origin.port)).get()
        @Sendable func addHTTP(_ pipeline: ChannelPipeline.SynchronousOperations) throws -> Connection {
            let handler = AuthenticationClientHandler(handlers, origin: site.origin, continuing: continuing)
            try pipeline.addAuthenticatingHTTPClientHandlers(handler)
            return try Connection(wrappingChannelSynchronously: channel)
        }
        let connection =
            if site.origin.scheme == .https {
                try await tls.secure(channel, to: site.origin) { try addHTTP($0) }
            } else {
                try await channel.eventLoop.submit { try addHTTP(channel.pipeline.syncOperations) }.get()
            }
        return try await connection.executeThenClose { parts, writer in
            if continuing == nil {
                var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "\(site.path)")
                head.headers.add(name: "Host", value: "\(site.origin.host):\(site.origin.port)")
                try await writer.write(contentsOf: [.head(head), .end(nil)])
            }
            var text = ""
            for try await part in parts {
                switch part {
                case .head(let head): text = "\(head.status.code)\n"
                case .body(let bytes): text += String(buffer: bytes)
                case .end: return text
                }
            }
            throw ChannelError.eof
        }
    }
}
