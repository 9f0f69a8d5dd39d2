internal import WireFormat

/// Why a proxy script gives no answer.
public enum ProxyScriptError: Error, Equatable, Sendable {
    /// The script is longer than ``ProxyScriptLimits/scriptBytes``, or has a zero byte.
    case unusableScript
    /// The library that runs scripts cannot be loaded; `reason` is the loader's text.
    case missingLibrary(reason: String)
    /// The script cannot be read as JavaScript, or has no function `FindProxyForURL`; `reason` is the engine's text.
    case unreadable(reason: String)
    /// The call ended with an error; `reason` is what the script or the engine says.
    case failed(reason: String)
    /// The call did not end within this time.
    case timedOut(Duration)
    /// The answer is longer than ``ProxyScriptLimits/answerBytes``.
    case answerTooLong
    /// No part of the answer names a way.
    case noWay(answer: String)
    /// The process of the call cannot be started, or ended in another way; `reason` says how.
    case noProcess(reason: String)
    /// ``ProxyScriptLimits/waiting`` servers wait already.
    case tooManyWaiting
}

extension ProxyScriptError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String { "the proxy script: \(problem)" }

    private var problem: String {
        switch self {
        case .unusableScript:
            "it has more than \(ProxyScriptLimits.scriptBytes) bytes, or a zero byte: check that it is a PAC file"
        case .missingLibrary(let reason):
            "JavaScriptCore is not installed (\(VisibleText.quoted(reason))): install libjavascriptcoregtk-4.1-0 on Debian and "
                + "Ubuntu, WebKitGTK's JavaScriptCore elsewhere"
        case .unreadable(let reason):
            "it is not JavaScript with a function FindProxyForURL (\(VisibleText.quoted(reason))): correct it"
        case .failed(let reason):
            "the call of FindProxyForURL ended with an error (\(VisibleText.quoted(reason))): correct it"
        case .timedOut(let limit):
            "the call of FindProxyForURL did not end within \(limit): look for endless loops and for names that "
                + "the resolver does not know"
        case .answerTooLong: "the answer has more than \(ProxyScriptLimits.answerBytes) bytes: correct it"
        case .noWay(let answer):
            // The answer may have `user:password@` before a host.
            "the answer \(VisibleText.quoted(Self.withoutAccounts(answer))) names no way: DIRECT, PROXY, HTTP, HTTPS and SOCKS5 with HOST:PORT are "
                + "known"
        case .noProcess(let reason): "its process did not run (\(reason)): repeat the request"
        case .tooManyWaiting: "\(ProxyScriptLimits.waiting) servers wait for it already: repeat the request later"
        }
    }
    private static func withoutAccounts(_ answer: String) -> String {
        answer.split(separator: " ", omittingEmptySubsequences: false)
            .map { word in word.lastIndex(of: "@").map { "…\(word[$0...])" } ?? String(word) }
            .joined(separator: " ")
    }
}
