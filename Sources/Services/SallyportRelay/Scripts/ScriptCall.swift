internal import CJavaScript
internal import WireFormat

/// One call of a script, in a process of its own: what goes in, and what comes out.
///
/// Scripts are strangers' programs, because they come from the network. So none runs in the process that holds the passwords; one that does
/// not end, takes too much memory or breaks the engine costs its own process. It has no way to files or connections, but to look up names.
///
/// | line of the input | |
/// |---|---|
/// | 1 | the URL |
/// | 2 | the host |
/// | the rest | the script |
///
/// The output is one mark and a text.
public enum ScriptCall {
    private enum Mark: UInt8 {
        case answer = 0x3D  // =
        case unreadable = 0x75  // u
        case failed = 0x66  // f
        case missingLibrary = 0x6D  // m
    }

    static func input(script: String, url: String, host: String) -> [UInt8] {
        Array("\(url)\n\(host)\n".utf8) + Array(script.utf8)
    }

    /// Runs the call that `input` describes, and limits this process first.
    ///
    /// - Returns: the output.
    public static func run(_ input: [UInt8]) -> [UInt8] {
        limitProcess()
        let lines = input.split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 3 else { return output(.failed, "") }
        do {
            return output(.answer, try JavaScriptEngine.answer(of: lines[2], url: lines[0], host: lines[1]))
        } catch {
            switch error {
            case .missingLibrary(let reason): return output(.missingLibrary, reason)
            case .unreadable(let reason): return output(.unreadable, reason)
            case .failed(let reason): return output(.failed, reason)
            default: return output(.failed, "\(error)")
            }
        }
    }

    /// What a process says that uses too much memory: an output, for as long as the process lives.
    private static let lastWords = Array("fit uses more than \(ProxyScriptLimits.processBytes >> 20) MB".utf8CString)

    private static func limitProcess() {
        unsafe lastWords.withUnsafeBufferPointer { words in
            // The array is never changed or freed, so its memory stays where it is.
            unsafe sallyport_limit_process(
                ProxyScriptLimits.processSeconds,
                ProxyScriptLimits.processBytes,
                words.baseAddress
            )
        }
    }

    private static func output(_ mark: Mark, _ text: String) -> [UInt8] { [mark.rawValue] + Array(text.utf8) }

    /// What the output says.
    static func answer(_ output: [UInt8]) throws(ProxyScriptError) -> String {
        guard let first = output.first, let mark = Mark(rawValue: first) else {
            throw .noProcess(reason: "it said nothing")
        }
        let text = String(decoding: output.dropFirst(), as: UTF8.self)
        switch mark {
        case .answer: return text
        case .unreadable: throw .unreadable(reason: text)
        case .failed: throw .failed(reason: text)
        case .missingLibrary: throw .missingLibrary(reason: text)
        }
    }
}
