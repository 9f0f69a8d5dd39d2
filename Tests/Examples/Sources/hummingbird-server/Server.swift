import ClientAuthentication
import Foundation
import HTTPTypes
import Hummingbird
import Sallyport

/// A Hummingbird server that asks for Digest: `hummingbird-server USER PASSWORDFILE`. It prints its URL.
@main
enum Server {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3 else {
            print("usage: hummingbird-server USER PASSWORDFILE")
            exit(2)
        }
        let password = try SecretReference.file(path: words[2]).load()
        let directory = FixedDirectory([ClientName(words[1]): .password(password)])
        let schemes: [ClientScheme] = [.digestSHA256, .digestMD5]
        let options = ClientAuthenticationOptions(party: .origin, realm: "example", schemes: schemes)
        let router = Router(context: Visit.self)
        router.add(middleware: LogOn(authenticator: ClientAuthenticator(options, directory: directory)))
        router.get("/") { _, visit in "Hello, \(visit.client)\n" }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { print("http://127.0.0.1:\($0.localAddress?.port ?? 0)/") }
        )
        try await application.runService()
    }
}

/// A request with the name of its client.
struct Visit: RequestContext {
    var coreContext: CoreRequestContextStorage
    var client = ""

    init(source: ApplicationRequestContextSource) { coreContext = .init(source: source) }
}

/// Lets a request through once its client has logged on.
///
/// Digest and Basic fit a middleware, because each request carries its answer. NTLM authenticates a connection, which Hummingbird does not
/// show to middleware: `ntlm-server` has the handler for that.
struct LogOn: RouterMiddleware {
    let authenticator: ClientAuthenticator

    func handle(
        _ request: Request,
        context: Visit,
        next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        var connection = authenticator.connection(from: nil, isEncrypted: false, isPinned: false)
        let (method, target) = (request.head.method.rawValue, request.head.path ?? "/")
        var step = connection.received(method: method, target: target, fields: request.head.headerFields)
        if case .ask(let question) = step {
            step = connection.replied(try? await question.ask(authenticator.directory), to: question)
        }
        switch step {
        case .accept(let acceptance):
            var context = context
            context.client = "\(acceptance.client.name)"
            var response = try await next(request, context)
            response.headers.append(contentsOf: acceptance.fields)
            return response
        case .refuse(let refusal): return Response(status: .init(code: refusal.status), headers: refusal.fields)
        case .ask: return Response(status: .serviceUnavailable)  // a directory is asked once for each request
        }
    }
}
