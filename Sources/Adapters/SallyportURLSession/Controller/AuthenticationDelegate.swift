public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A delegate that leaves all challenges of a session or a task to a controller.
///
/// ```swift
/// let delegate = AuthenticationDelegate(controller)
/// let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: nil)
/// ```
///
/// Use it on macOS and iOS. On Linux URLSession delivers Basic alone; there use a ``SessionAuthenticator``.
public final class AuthenticationDelegate: NSObject, URLSessionTaskDelegate {
    private let controller: AuthenticationController

    /// Makes a delegate.
    ///
    /// - Parameter controller: answers the challenges.
    public init(_ controller: AuthenticationController) { self.controller = controller }

    // The form with a completion handler: on Linux the one with `async` is never called.
    /// Answers a challenge; URLSession calls it.
    public func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        controller.answer(challenge, completionHandler)
    }
}
