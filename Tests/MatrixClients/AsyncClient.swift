internal import AsyncHTTPClient
internal import LiveServers
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Sallyport
internal import SallyportAsyncHTTPClient
internal import SallyportClient
internal import SallyportNIO

/// AsyncHTTPClient with the authenticator of SallyportAsyncHTTPClient.
struct AsyncClient: RunningClient {
    private let client: HTTPClient
    private let authenticator: HTTPClientAuthenticator

    init(
        _ current: CurrentHandler,
        _ asking: Authenticator?,
        _ settings: ClientSettings,
        _ tls: TLSConnector?,
        trusting root: TestAuthority?
    ) throws {
        var configuration = HTTPClient.Configuration.forAuthenticator
        configuration.timeout.connect = .hours(1)
        if let root {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates([try root.own.certificate.nio])
            configuration.tlsConfiguration = tls
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        authenticator =
            asking.map { HTTPClientAuthenticator($0, settings: settings, tls: tls) }
            ?? HTTPClientAuthenticator(current, settings: settings, tls: tls)
    }

    func send(_ request: MatrixRequest) async throws -> MatrixReply {
        var sent = HTTPClientRequest(url: request.url)
        sent.method = request.method
        for (name, value) in request.fields { sent.headers.add(name: name, value: value) }
        switch request.body {
        case .none: break
        case .kept:
            let most = request.length ?? HTTPClientAuthenticator.keptBodyBytes
            sent.body = .bytes(request.bytes.readableBytesView.prefix(most))
        case .once: sent.body = .stream(Slices(request.bytes), length: .unknown)
        }
        let response = try await client.execute(sent, authenticator: authenticator, deadline: .now() + request.limit)
        let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
        return MatrixReply(status: Int(response.status.code), text: text)
    }

    func closeIdleConnections() { authenticator.closeIdleConnections() }

    func shutDown() async throws {
        authenticator.shutDown()
        try await client.shutdown()
    }
}
