internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Sallyport
internal import SallyportClient
internal import SallyportNIO
internal import SallyportURLSession

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// URLSession with the authenticator of SallyportURLSession.
struct SessionClient: RunningClient {
    private let session = URLSession(configuration: .ephemeral)
    private let authenticator: SessionAuthenticator

    init(_ current: CurrentHandler, _ asking: Authenticator?, _ settings: ClientSettings, _ tls: TLSConnector?) {
        authenticator =
            asking.map { SessionAuthenticator($0, settings: settings, tls: tls) }
            ?? SessionAuthenticator(current, settings: settings, tls: tls)
    }

    func send(_ request: MatrixRequest) async throws -> MatrixReply {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var sent = URLRequest(url: url)
        sent.httpMethod = request.method.rawValue
        sent.timeoutInterval = Double(request.limit.nanoseconds) / 1e9
        for (name, value) in request.fields { sent.setValue(value, forHTTPHeaderField: name) }
        let bytes = Data(request.bytes.readableBytesView)
        switch request.body {
        case .none: break
        case .kept: sent.httpBody = bytes
        case .once: sent.httpBodyStream = InputStream(data: bytes)
        }
        let (data, response) = try await session.data(for: sent, authenticator: authenticator)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return MatrixReply(status: status, text: String(decoding: data, as: UTF8.self))
    }

    func closeIdleConnections() { authenticator.closeIdleConnections() }

    func shutDown() async throws {
        authenticator.shutDown()
        session.invalidateAndCancel()
    }
}
