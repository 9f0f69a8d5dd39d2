import Foundation
import Sallyport
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The first snippet of PortedFlows.md, word for word.

final class RepositoryDelegate: NSObject, URLSessionTaskDelegate {
    let controller: AuthenticationController
    /// The application's own dialogue.
    let ownAnswer: @Sendable (URLProtectionSpace) -> URLCredential?

    init(
        _ controller: AuthenticationController,
        ownAnswer: @escaping @Sendable (URLProtectionSpace) -> URLCredential?
    ) {
        self.controller = controller
        self.ownAnswer = ownAnswer
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if controller.canHandle(challenge.protectionSpace),
            controller.handleChallenge(forURLSessionChallenge: challenge, completionHandler: completionHandler)
        {
            return
        }
        if challenge.previousFailureCount == 0, let own = ownAnswer(challenge.protectionSpace) {
            completionHandler(.useCredential, own)
        } else {
            // On Linux default handling of Basic does not end.
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}
