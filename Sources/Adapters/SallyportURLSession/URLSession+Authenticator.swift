public import Foundation
internal import NIOCore
internal import NIOFoundationCompat
internal import SallyportClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request, answers the challenges on its way, and returns the whole body.
    ///
    /// - Parameters:
    ///   - request: the request. A body stream can be sent once.
    ///   - authenticator: answers challenges.
    /// - Throws: `ClientError`, `CancellationError`, or an error of a body stream. The time limit is the request's.
    public func data(
        for request: URLRequest,
        authenticator: SessionAuthenticator
    ) async throws -> (Data, URLResponse) {
        let (response, head) = try await SessionRequest(request, self, authenticator).response()
        var data = Data()
        for try await part in response.body { data.append(contentsOf: part.readableBytesView) }
        return (data, head)
    }

    /// Sends a request to a URL.
    public func data(from url: URL, authenticator: SessionAuthenticator) async throws -> (Data, URLResponse) {
        try await data(for: URLRequest(url: url), authenticator: authenticator)
    }

    /// Sends a request with this body, which can be sent again after a challenge.
    public func upload(
        for request: URLRequest,
        from body: Data,
        authenticator: SessionAuthenticator
    ) async throws -> (Data, URLResponse) {
        var request = request
        request.httpBodyStream = nil
        request.httpBody = body
        return try await data(for: request, authenticator: authenticator)
    }

    /// Sends a request with the contents of a file, which is read again after a challenge.
    public func upload(
        for request: URLRequest,
        fromFile file: URL,
        authenticator: SessionAuthenticator
    ) async throws -> (Data, URLResponse) {
        let body = try FileBody.body(of: file)
        let (response, head) = try await SessionRequest(request, self, authenticator, body: body).response()
        var data = Data()
        for try await part in response.body { data.append(contentsOf: part.readableBytesView) }
        return (data, head)
    }

    /// Sends a request, and writes the body to a file in the temporary folder, which the caller moves or removes.
    public func download(
        for request: URLRequest,
        authenticator: SessionAuthenticator
    ) async throws -> (URL, URLResponse) {
        let (response, head) = try await SessionRequest(request, self, authenticator).response()
        let file = FileManager.default.temporaryDirectory.appending(path: "sallyport-\(UUID().uuidString)")
        try await FileBody.write(response.body, to: file)
        return (file, head)
    }
}
