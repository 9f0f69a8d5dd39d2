import Foundation
import Sallyport
import SallyportURLSession

// The second snippet of WebViewsAndBackgroundSessions.md, word for word.

final class DownloadDelegate: NSObject, URLSessionDownloadDelegate {
    let controller: AuthenticationController
    /// Moves the file before it returns, because the system removes it then.
    let keep: @Sendable (URLSessionDownloadTask, URL) -> Void

    init(_ controller: AuthenticationController, keep: @escaping @Sendable (URLSessionDownloadTask, URL) -> Void) {
        self.controller = controller
        self.keep = keep
    }

    /// The session, at the first start and when the system starts the application again for it.
    func session() -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.viewer.downloads")
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isHandled = controller.handleChallenge(
            forURLSessionChallenge: challenge,
            completionHandler: completionHandler
        )
        if !isHandled { completionHandler(.performDefaultHandling, nil) }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        keep(downloadTask, location)
    }
}
