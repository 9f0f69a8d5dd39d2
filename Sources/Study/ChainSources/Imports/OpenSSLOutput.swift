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
    ) throws(RecordingError) -> Int {
        var without = 0
        for file in try ImportFile.files(in: path, endings: ["txt", "log", "out"], most: PEMFolder.mostFiles) {
            var chain: [Substring] = []
            var isInChain = false
            var time: Int64?
            let text = String(decoding: try ChallengeRecording.readFile(file), as: UTF8.self)
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                if line == "Certificate chain" {
                    guard chain.isEmpty else {
                        let problem = "holds more than one connection: write each to a file of its own"
                        throw RecordingError(path: file.path, line: nil, problem: problem)
                    }
                    isInChain = true
                } else if line == "---" {
                    isInChain = false
                } else if isInChain {
                    chain.append(line)
                } else if let number = line.wholeMatch(of: /\s*Start Time: ([0-9]{1,11})/) {
                    time = time ?? Int64(number.1)
                }
            }
            let lines = chain.joined(separator: "\n") + "\n"
            let presented = try ImportFile.certificates([UInt8](lines.utf8), file.path)
            guard !presented.isEmpty else {
                without += 1
                continue
            }
            let endpoint = try ImportFile.endpoint(of: file, options)
            let seen = if let time = options.time ?? time { time } else { try ImportFile.time(of: file, options) }
            try body(ImportedChain(endpoint: endpoint, time: seen, presented: presented, source: "openssl s_client"))
        }
        return without
    }
}
