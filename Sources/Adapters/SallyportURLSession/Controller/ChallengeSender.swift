internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Whether the sender of a challenge takes answers.
///
/// The challenges of URLSession and of web views have a sender, too, which does nothing on Apple's systems and ends the process on Linux:
/// their answer goes to a completion handler. A request that is answered through the sender would wait for ever.
enum ChallengeSender {
    static func takesAnswers(_ sender: any URLAuthenticationChallengeSender) -> Bool {
        #if canImport(FoundationNetworking)
            let bundle: String? = nil
        #else
            let bundle = Bundle(for: type(of: sender as AnyObject)).bundleIdentifier
        #endif
        return takesAnswers(class: String(reflecting: type(of: sender)), bundle: bundle)
    }

    /// Of the system's classes only those of `NSURLConnection` take answers. They are not public, and bear its name.
    ///
    /// - Parameters:
    ///   - name: with its module, if it has one.
    ///   - bundle: the identifier of the bundle that has the class; `nil` for a program without one.
    static func takesAnswers(class name: String, bundle: String?) -> Bool {
        guard !name.hasPrefix("FoundationNetworking.") else { return false }
        return bundle?.hasPrefix("com.apple.") != true || name.contains("NSURLConnection")
    }
}
