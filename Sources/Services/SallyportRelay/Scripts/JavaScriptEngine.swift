internal import CJavaScript

/// JavaScriptCore, loaded while the program runs. One process may use it once, for one script.
enum JavaScriptEngine {
    /// The libraries that are tried in turn: Apple's, or those of WebKitGTK's versions, which have the same interface in C.
    static var usualPaths: [String] {
        #if canImport(Darwin)
            ["/System/Library/Frameworks/JavaScriptCore.framework/JavaScriptCore"]
        #else
            ["libjavascriptcoregtk-4.1.so.0", "libjavascriptcoregtk-6.0.so.1", "libjavascriptcoregtk-4.0.so.18"]
        #endif
    }

    /// What the script answers for a URL and its host.
    static func answer(
        of script: String,
        url: String,
        host: String,
        by paths: [String] = usualPaths
    ) throws(ProxyScriptError) -> String {
        guard ![script, url, host].contains(where: { $0.utf8.contains(0) }) else { throw .unusableScript }
        var missing: String?
        for path in paths {
            let (outcome, text) = run(script, url, host, by: path)
            switch outcome {
            case sallyport_script_answered: return text
            // The first library is the one to install.
            case sallyport_script_no_library: missing = missing ?? text
            case sallyport_script_unreadable: throw .unreadable(reason: text)
            case sallyport_script_no_function: throw .unreadable(reason: "it has no function FindProxyForURL")
            default: throw .failed(reason: text)
            }
        }
        throw .missingLibrary(reason: missing ?? "no path is given")
    }

    private static func run(
        _ script: String,
        _ url: String,
        _ host: String,
        by path: String
    ) -> (sallyport_script_outcome, String) {
        // One byte more than an answer may have, so that a longer one is noticed, and the zero.
        var text = [CChar](repeating: 0, count: ProxyScriptLimits.answerBytes + 2)
        // In bounds: the function gets the count.
        let outcome = unsafe sallyport_script_run(path, ScriptFunctions.source, script, url, host, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (outcome, String(decoding: bytes, as: UTF8.self))
    }
}
