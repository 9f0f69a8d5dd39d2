import Foundation
import Sallyport
import SallyportURLSession
import WebKit

// The first snippet of WebViewsAndBackgroundSessions.md, word for word.

final class PageDelegate: NSObject, WKNavigationDelegate {
    let controller: AuthenticationController

    init(_ controller: AuthenticationController) { self.controller = controller }

    func webView(
        _ webView: WKWebView,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @MainActor @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isHandled = controller.handleChallenge(forURLSessionChallenge: challenge) { answer, credential in
            Task { @MainActor in completionHandler(answer, credential) }
        }
        if !isHandled { completionHandler(.performDefaultHandling, nil) }
    }
}
