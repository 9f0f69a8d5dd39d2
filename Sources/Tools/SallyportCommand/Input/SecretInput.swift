internal import Secrets

/// One secret, from standard input or typed without echo; never from an argument or the environment, which others can
/// read.
enum SecretInput {
    /// No password is longer: 256 UTF-16 units of three bytes. One more byte tells that something is wrong.
    static let maximumBytes = 1_024

    /// Reads the secret and forgets every other trace of it.
    ///
    /// - Parameter prompt: what a person at a terminal is asked.
    static func read(prompt: String) throws(InputError) -> SharedSecret {
        var buffer = [UInt8](repeating: 0, count: maximumBytes + 1)
        defer { erase(&buffer) }
        let count =
            StandardInput.isTerminal
            ? try HiddenLine.read(into: &buffer, prompt: prompt)
            : try readToEnd(into: &buffer)
        let line = try onlyLine(of: buffer.span.extracting(0..<count))
        return SharedSecret(SecretBytes(copying: buffer.span.extracting(0..<line)))
    }

    private static func readToEnd(into buffer: inout [UInt8]) throws(InputError) -> Int {
        var count = 0
        while count < buffer.count {
            let got = try StandardInput.read(into: &buffer, from: count)
            if got == 0 { break }
            count += got
        }
        return count
    }

    /// The length of the only line; one line ending at the end is the sender's, not the secret's.
    private static func onlyLine(of bytes: Span<UInt8>) throws(InputError) -> Int {
        guard bytes.count <= maximumBytes else { throw .tooLong(limit: maximumBytes) }
        guard bytes.count > 0 else { throw .ended }
        var end = bytes.count
        if bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        for index in 0..<end where bytes[index] == UInt8(ascii: "\n") { throw .moreThanOneLine }
        return end
    }
}
