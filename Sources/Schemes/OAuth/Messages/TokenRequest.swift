public import Secrets

/// A request to a token service, as a value. An adapter sends it.
///
/// It carries its own credentials. Do not authenticate it by the handler, and do not follow a redirect with it: both could send a secret to
/// another party.
public struct TokenRequest: Sendable {
    /// The request method.
    public enum Method: String, Sendable { case get = "GET", post = "POST" }

    /// Where it goes.
    public let url: ServiceURL
    /// The request method.
    public let method: Method
    /// The field `Authorization`, if the client authenticates itself by it.
    public let authorization: SharedSecret?
    /// Further fields, without secrets.
    public let fields: [Field]
    /// The body, a form; `nil` for GET.
    public let body: SharedSecret?

    /// A field without a secret.
    public struct Field: Hashable, Sendable {
        /// The field's name.
        public let name: String
        /// The field's value.
        public let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }

    /// A form that is posted.
    init(
        posting form: consuming FormBody,
        to url: ServiceURL,
        authorization: SharedSecret? = nil,
        fields: [Field] = []
    ) {
        self.url = url
        method = .post
        self.authorization = authorization
        self.fields =
            [
                Field(name: "Content-Type", value: FormBody.contentType),
                Field(name: "Accept", value: "application/json"),
            ] + fields
        body = form.secret()
    }

    /// Another request with other fields.
    package init(_ request: TokenRequest, fields: [Field]) {
        (url, method, authorization) = (request.url, request.method, request.authorization)
        (self.fields, body) = (fields, request.body)
    }

    /// A document that is read.
    init(getting url: ServiceURL, authorization: SharedSecret? = nil) {
        self.url = url
        method = .get
        self.authorization = authorization
        fields = [Field(name: "Accept", value: "application/json")]
        body = nil
    }
}

extension TokenRequest: CustomStringConvertible {
    /// Method and URL, without the query and without what is secret.
    public var description: String { "\(method.rawValue) \(url)" }
}

/// The response to a ``TokenRequest``.
public struct TokenResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The body, at most ``TokenLimits/responseBytes``.
    public let body: SharedSecret
    /// The field `DPoP-Nonce` (RFC 9449 section 8), if there is one.
    public let nonce: String?

    /// Makes a response. The body is copied into memory that is erased; erase your own.
    ///
    /// - Throws: ``TokenServiceError/tooLong(bytes:)``.
    public init(status: Int, body: Span<UInt8>, nonce: String? = nil) throws(TokenServiceError) {
        guard body.count <= TokenLimits.responseBytes else { throw .tooLong(bytes: body.count) }
        self.status = status
        self.body = SharedSecret(SecretBytes(copying: body))
        self.nonce = nonce
    }
}
