internal import Corpora
internal import Foundation

/// What `openssl s_client -showcerts` prints: the chain as the server sent it, between `Certificate chain` and `---`.
///
/// The leaf stands a second time below `Server certificate`, so only that part is read. The output names no host; the file
/// does, or the caller. The session's start time, where there is one, is when the chain was seen.
struct OpenSSLOutput {
    let options: ImportOptions

    func forEachChain(
        in path: String,
        _ body: (ImportedChain) throws(RecordingError) -> Void
    ) throws(RecordingError) -> ImportLosses {
        var losses = ImportLosses()
        for file in try ImportFile.files(in: path, endings: ["txt", "log", "out"], most: PEMFolder.mostFiles) {
            guard let bytes = try ImportFile.read(file, of: path, &losses) else { continue }
            let chain: ImportedChain?
            do throws(RecordingError) {
                chain = try self.chain(in: file, String(decoding: bytes, as: UTF8.self), &losses)
            } catch {
                losses.leaveOut(error)
                continue
            }
            if let chain { try body(chain) }
        }
        return losses
    }

    /// The chain in a file's text; `nil` if there is none, which `losses` then says.
    private func chain(
        in file: String,
        _ text: String,
        _ losses: inout ImportLosses
    ) throws(RecordingError) -> ImportedChain? {
        var chain: [Substring] = []
        var (isInChain, hasChain) = (false, false)
        var time: Int64?
        var verdict: String?
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line == "Certificate chain" {
                guard chain.isEmpty else {
                    let problem = "holds more than one connection: write each to a file of its own"
                    throw RecordingError(path: file, line: nil, problem: problem)
                }
                (isInChain, hasChain) = (true, true)
            } else if line == "---" {
                isInChain = false
            } else if isInChain {
                chain.append(line)
            } else if let number = line.wholeMatch(of: /\s*Start Time: ([0-9]{1,11})/) {
                time = time ?? Int64(number.1)
            } else if let code = line.wholeMatch(of: /\s*Verify return code: (.*)/) {
                verdict = verdict ?? PlainLine.text(code.1)
            }
        }
        let lines = chain.joined(separator: "\n") + "\n"
        let presented = try ImportFile.certificates([UInt8](lines.utf8), file)
        guard !presented.isEmpty else {
            losses.leaveOut(file, Self.reason(isInOutput: hasChain, lines: chain))
            return nil
        }
        let endpoint = try ImportFile.endpoint(of: file, options)
        let seen = if let time = options.time ?? time { time } else { try ImportFile.time(of: file, options) }
        return ImportedChain(
            endpoint: endpoint,
            time: seen,
            presented: presented,
            source: "openssl s_client",
            verdict: verdict
        )
    }

    /// Why the output holds no certificate.
    private static func reason(isInOutput: Bool, lines: [Substring]) -> String {
        guard isInOutput else {
            return
                "no line 'Certificate chain' is in it, because the connection failed or this is other output: connect again"
        }
        return lines.allSatisfy(\.isEmpty)
            ? "nothing follows 'Certificate chain', because the output was cut: connect again"
            : "'Certificate chain' lists names without certificates: run 'openssl s_client' with -showcerts"
    }
}
