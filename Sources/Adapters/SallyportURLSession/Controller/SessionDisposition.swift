#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// What a URL loading system should do about a challenge.
public enum SessionDisposition: Sendable {
    /// Answer the challenge with this credential.
    case useCredential(URLCredential)
    /// Do what the system does without a delegate.
    case performDefaultHandling
    /// End the request with an error, because of the obstacle.
    case cancel(SessionObstacle)
    /// Try the next protection space of the same response.
    case rejectProtectionSpace(SessionObstacle)
    /// Deliver the response, or continue the handshake without a certificate.
    case continueWithoutCredential(SessionObstacle)

    /// What the completion handler of a delegate takes.
    public var systemAnswer: (URLSession.AuthChallengeDisposition, URLCredential?) { systemAnswer(of: .current) }

    /// The URL loading systems.
    enum System {
        case apple
        /// swift-corelibs-foundation. In 6.3.1 default handling of Basic does not end, `useCredential` without a credential
        /// ends the process, and a rejected protection space is cancelled. So it gets a credential or a cancellation.
        case linux

        static var current: System {
            #if canImport(FoundationNetworking)
                .linux
            #else
                .apple
            #endif
        }
    }

    func systemAnswer(of system: System) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        switch (self, system) {
        case (.useCredential(let credential), _): (.useCredential, credential)
        case (_, .linux), (.cancel, .apple): (.cancelAuthenticationChallenge, nil)
        case (.performDefaultHandling, .apple): (.performDefaultHandling, nil)
        case (.rejectProtectionSpace, .apple): (.rejectProtectionSpace, nil)
        case (.continueWithoutCredential, .apple): (.useCredential, nil)
        }
    }
}

extension SessionDisposition: CustomStringConvertible, CustomReflectable {
    /// One word and the reason, without the credential.
    public var description: String {
        switch self {
        case .useCredential: "use a credential"
        case .performDefaultHandling: "perform default handling"
        case .cancel(let obstacle): "cancel: \(obstacle)"
        case .rejectProtectionSpace(let obstacle): "reject the protection space: \(obstacle)"
        case .continueWithoutCredential(let obstacle): "continue without a credential: \(obstacle)"
        }
    }

    /// Has no children, because `URLCredential` shows its password to `dump`.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
