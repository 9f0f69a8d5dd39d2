internal import InsecureDigests
internal import NTLM
internal import Secrets
internal import WireFormat

/// Passwords, one a line, in pieces as large as the lanes like them; memory stays the same however many there are.
struct PasswordLines: ~Copyable {
    /// Bytes that are read at once.
    private static let pieceBytes = 1 << 20
    /// A line that is longer is no password: its beginning is enough to say so, and the rest is not kept.
    private static let longestLine = SecretInput.maximumBytes

    private var buffer = [UInt8](repeating: 0, count: PasswordLines.pieceBytes + PasswordLines.longestLine)
    /// How many bytes of the buffer are filled: the start of a line that goes on, and what was read after it.
    private var filled = 0
    private var hasEnded = false
    /// The number of the line that the buffer starts with.
    private var line = 1
    /// Whether the buffer starts inside a line that was refused before its end came.
    private var isInsideRefusedLine = false
    private var batch = PasswordBatch(capacity: PasswordLines.pieceBytes + PasswordLines.longestLine)

    /// Overwrites what was read; the last call.
    mutating func forget() {
        erase(&buffer)
        filled = 0
        hasEnded = true
    }

    /// Reads on; tells whether there is something to hash.
    mutating func readMore() throws(InputError) -> Bool {
        guard !hasEnded else { return false }
        let got = try StandardInput.read(into: &buffer, from: filled)
        filled += got
        hasEnded = got == 0
        return got > 0 || filled > 0 || isInsideRefusedLine
    }

    /// Hashes every line whose end has come.
    ///
    /// - Returns: for each line 32 digits and a line ending, or a line ending alone where the line was refused.
    mutating func hashes(refused: inout RefusedLines) -> [UInt8] {
        // Which lines of this piece have a hash, by their order; the others stay empty.
        var isHashed: [Bool] = []
        var start = 0
        for index in 0..<filled where buffer[index] == UInt8(ascii: "\n") {
            take(start..<index, &isHashed, &refused)
            start = index + 1
        }
        if hasEnded, start < filled || isInsideRefusedLine {
            take(start..<filled, &isHashed, &refused)
            start = filled
        }
        keepRest(from: start, &refused)

        var output: [UInt8] = []
        output.reserveCapacity(isHashed.count * HashLine.count)
        var digests = batch.hashes().makeIterator()
        for isHashed in isHashed {
            if isHashed, let digest = digests.next() {
                digest.withBytes { HashLine.append($0, to: &output) }
            } else {
                output.append(UInt8(ascii: "\n"))
            }
        }
        return output
    }

    private mutating func take(_ range: Range<Int>, _ isHashed: inout [Bool], _ refused: inout RefusedLines) {
        defer { line += 1 }
        guard !isInsideRefusedLine else {
            isInsideRefusedLine = false
            isHashed.append(false)
            return
        }
        var end = range.upperBound
        // As in files that were written elsewhere; no password ends with a carriage return.
        if end > range.lowerBound, buffer[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        do {
            try Self.add(range.lowerBound..<end, of: buffer, to: &batch)
            isHashed.append(true)
        } catch {
            refused.refuse(line: line, error)
            isHashed.append(false)
        }
    }

    private static func add(
        _ range: Range<Int>,
        of bytes: [UInt8],
        to batch: inout PasswordBatch
    ) throws(NTLMKeyError) {
        try batch.append(utf8: bytes.span.extracting(range))
    }

    /// Moves the start of an unfinished line to the front; one that is too long already is refused and dropped.
    private mutating func keepRest(from start: Int, _ refused: inout RefusedLines) {
        var kept = filled - start
        if kept > Self.longestLine, !isInsideRefusedLine {
            refused.refuse(line: line, .passwordTooLong(units: kept / 3, limit: NTLMLimits.passwordUnits))
            isInsideRefusedLine = true
        }
        if isInsideRefusedLine { kept = 0 }
        for index in 0..<kept { buffer[index] = buffer[start + index] }
        filled = kept
    }
}

/// A hash as it is printed: 32 hexadecimal digits and a line ending.
enum HashLine {
    static let count = 33

    static func append(_ hash: Span<UInt8>, to output: inout [UInt8]) {
        Hexadecimal.append(hash, to: &output)
        output.append(UInt8(ascii: "\n"))
    }

    static func text(of hash: Span<UInt8>) -> String { Hexadecimal.encode(hash) + "\n" }
}
