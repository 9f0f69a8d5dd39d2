/// Apache with mod_auth_openidc, which asks an ``OAuthServer`` about each token.
package final class ApacheWithTokens {
    /// Its URL, without a slash at the end.
    package let url: String
    private let process: HelperProcess

    package init(_ service: OAuthServer) throws {
        let port = try ServerPort.take()
        url = "http://127.0.0.1:\(port)"
        process = try HelperProcess(server: "apache-oauth", ["\(port)", service.url])
    }
}
