internal import CPacparser

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Debian's pacparser, loaded while the program runs. One process may use it once, for one script.
@safe
struct PacparserLibrary {
    private let functions: sallyport_pacparser

    /// The libraries that are tried in turn.
    static var usualPaths: [String] {
        #if canImport(Darwin)
            ["libpacparser.1.dylib", "/opt/homebrew/lib/libpacparser.1.dylib"]
        #else
            ["libpacparser.so.1"]
        #endif
    }

    init(_ paths: [String] = usualPaths) throws(ProxyScriptError) {
        var last = "no path is given"
        for path in paths {
            var functions = sallyport_pacparser()
            var text: UnsafePointer<CChar>?
            let outcome = unsafe path.withCString { unsafe sallyport_pacparser_load($0, &functions, &text) }
            if outcome == sallyport_pacparser_loaded {
                self.functions = functions
                return
            }
            // The text is copied before the next call of the loader.
            last = unsafe text.map { unsafe String(cString: $0) } ?? ""
        }
        throw .missingLibrary(reason: last)
    }

    /// What the script answers for a URL and its host.
    func answer(of script: String, url: String, host: String) throws(ProxyScriptError) -> String {
        guard !script.utf8.contains(0), !url.utf8.contains(0), !host.utf8.contains(0) else { throw .unusableScript }
        guard functions.begin() == 1 else { throw .failed }
        guard unsafe script.withCString({ unsafe functions.parse_string($0) }) == 1 else { throw .unreadable }
        let text = unsafe url.withCString { url in
            unsafe host.withCString { host in unsafe functions.find_proxy(url, host) }
        }
        guard let text = unsafe text else { throw .failed }
        // The library's text ends with a zero, and is the caller's.
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
