package import Secrets
internal import WireFormat

/// Reads one secret from standard input, or from a terminal without echo; never from an argument or the environment,
/// which other processes can read.
package enum SecretInput {
    /// The most bytes of a secret; a password of 256 UTF-16 units has at most 768.
    package static let maximumBytes = 1_024

    /// Reads the secret, and erases the buffer that it was read into.
    ///
    /// - Parameter prompt: the text of the prompt at a terminal.
    package static func read(prompt: String) throws(InputError) -> SharedSecret {
        guard StandardInput.isTerminal else { return try readStandardInput(maximumBytes: maximumBytes) }
        var buffer = [UInt8](repeating: 0, count: maximumBytes + 1)
        defer { erase(&buffer) }
        let count = try HiddenLine.read(into: &buffer, prompt: prompt)
        let line = try onlyLine(of: buffer.span.extracting(0..<count), maximumBytes: maximumBytes)
        return SharedSecret(SecretBytes(copying: buffer.span.extracting(line)))
    }

    /// Reads the secret from standard input to its end, and erases the buffer that it was read into.
    package static func readStandardInput(maximumBytes: Int) throws(InputError) -> SharedSecret {
        // A line ending of two bytes may follow the secret, the mark of UTF-8 precede it, and one byte more shows that it is too long.
        var buffer = [UInt8](repeating: 0, count: maximumBytes + 6)
        defer { erase(&buffer) }
        let count = try readToEnd(into: &buffer)
        let line = try onlyLine(of: buffer.span.extracting(0..<count), maximumBytes: maximumBytes)
        return SharedSecret(SecretBytes(copying: buffer.span.extracting(line)))
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

    /// The place of the only line. A line ending at the end, and the mark of UTF-8 at the start, are not part of the secret.
    package static func onlyLine(of bytes: Span<UInt8>, maximumBytes: Int) throws(InputError) -> Range<Int> {
        guard bytes.count > 0 else { throw .ended }
        let start = ForeignFile.markLength(bytes)
        var end = bytes.count
        if end > start, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
        if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        guard end - start <= maximumBytes else { throw .tooLong(limit: maximumBytes) }
        for index in start..<end where bytes[index] == UInt8(ascii: "\n") { throw .moreThanOneLine }
        return start..<end
    }
}
