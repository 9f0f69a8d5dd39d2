import OAuth
import Secrets

/// The text of a body or field that is secret.
func secretText(_ secret: SharedSecret?) -> String? {
    secret?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}

/// The parameters of a form, in their order.
func form(_ request: TokenRequest) -> [String] {
    secretText(request.body)?.split(separator: "&").map(String.init) ?? []
}

func response(_ status: Int, _ body: String) throws -> TokenResponse {
    try TokenResponse(status: status, body: Array(body.utf8).span)
}

extension OAuthClient {
    static func make(_ authentication: Authentication = .none) throws -> OAuthClient {
        OAuthClient(
            id: "s6BhdRkqt3",
            authentication: authentication,
            tokenEndpoint: try ServiceURL("https://server.example.com/token")
        )
    }
}
