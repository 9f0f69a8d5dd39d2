package import HTTPTypes
public import NIOHTTP1
public import Sallyport

/// The response to a ``ClientRequest``.
public struct ClientResponse: Sendable {
    /// The URL that answered: that of the request, or of the last redirect.
    public let url: String
    /// The version of HTTP.
    public let version: HTTPVersion
    /// The status of the last response, after all challenges that were answered.
    public let status: HTTPResponseStatus
    /// The fields of the last response, in the order in which they came.
    public let headers: HTTPHeaders
    /// The body. Its connection is free for other requests when the body has ended, and closed when it is dropped before.
    public let body: ResponseBody
    /// The header fields with their original bytes.
    package let fields: HTTPFields
    /// How the authentication of the request ended.
    public let outcome: RequestOutcome
    /// Why the server got no client certificate although it asked for one in the TLS handshake; `nil` if it did not ask, or got one.
    ///
    /// A server that wants one may answer with an error of HTTP: nginx with 400.
    public var withheldIdentity: Refusal? {
        if case .withhold(let refusal) = identity { refusal } else { nil }
    }
    /// What the server got when it asked for a client certificate in the TLS handshake; `nil` if it did not ask.
    package let identity: IdentityDecision?

    init(
        _ response: ConnectionHandler.Response,
        _ content: ResponseBody.Content,
        to request: ClientRequest,
        _ outcome: RequestOutcome,
        identity: IdentityDecision?
    ) {
        url = "\(request.origin)\(request.target)"
        version = response.head.version
        status = response.head.status
        headers = response.head.headers
        fields = response.fields
        body = ResponseBody(content)
        self.outcome = outcome
        self.identity = identity
    }

    private init(_ response: ClientResponse, _ body: ResponseBody, _ outcome: RequestOutcome) {
        (url, version, status, headers) = (response.url, response.version, response.status, response.headers)
        fields = response.fields
        (self.body, self.outcome) = (body, outcome)
        identity = response.identity
    }

    /// The same response with another outcome.
    func ended(_ outcome: RequestOutcome) -> ClientResponse { ClientResponse(self, body, outcome) }

    /// The same response with another body.
    func with(_ body: ResponseBody) -> ClientResponse { ClientResponse(self, body, outcome) }
}
