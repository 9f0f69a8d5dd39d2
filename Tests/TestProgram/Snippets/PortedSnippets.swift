import Foundation
import Sallyport
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The snippets of PortingFromAWController.md, word for word.

final class WikiDelegate: NSObject, URLSessionTaskDelegate {
    let controller: AuthenticationController

    init(
        _ handler: ChallengeHandler,
        _ askForPassword: @escaping @Sendable (AccountNames) async throws -> SharedSecret
    ) {
        let source = AuthenticationSource { names in
            UserCredentials(user: names.user, domain: names.domain, password: try await askForPassword(names))
        } identities: {
            []  // this application has no client certificates
        }
        controller = AuthenticationController(CurrentHandler(handler), account: "account", source: source)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        var isHandled = false
        if controller.canHandle(challenge.protectionSpace) {
            isHandled = controller.handleChallenge(
                forURLSessionChallenge: challenge,
                completionHandler: completionHandler
            )
        }
        // On Linux default handling of Basic does not end, so refuse there by cancelling.
        if !isHandled { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
}

enum PortedSnippets {
    static func page(
        _ url: URL,
        _ handler: ChallengeHandler,
        _ askForPassword: @escaping @Sendable (AccountNames) async throws -> SharedSecret
    ) async throws -> (Data, URLResponse) {
        let delegate = WikiDelegate(handler, askForPassword)
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        do {
            return try await session.data(from: url)
        } catch let error as URLError where error.code == .cancelled {
            try await delegate.controller.updateUserCredentials()
            return try await session.data(from: url)
        }
    }
}
