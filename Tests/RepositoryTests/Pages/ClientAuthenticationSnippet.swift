import ClientAuthentication
import HTTPAuthentication
import HTTPTypes
import Secrets

/// The snippet of ClientAuthentication.md.
enum ClientAuthenticationSnippet {
    static func decide(
        _ password: SharedSecret,
        _ fields: HTTPFields,
        serve: (AuthenticatedClientName) -> Void,
        respond: (Int, HTTPFields) -> Void
    ) async {
        let directory = FixedDirectory([ClientName(user: "jdoe"): .password(password)])
        let options = ClientAuthenticationOptions(party: .proxy, realm: "proxy", schemes: [.ntlm, .digestSHA256])
        let authenticator = ClientAuthenticator(options, directory: directory)
        var connection = authenticator.connection(from: "192.0.2.7", isEncrypted: false)

        var step = connection.received(method: "GET", target: "http://wiki.example/", fields: fields)
        if case .ask(let question) = step {
            step = connection.replied(try? await question.ask(directory), to: question)
        }
        switch step {
        case .accept(let acceptance): serve(acceptance.client)
        case .refuse(let refusal): respond(refusal.status, refusal.fields)
        case .ask: break  // a directory is asked once for each request
        }
    }
}
