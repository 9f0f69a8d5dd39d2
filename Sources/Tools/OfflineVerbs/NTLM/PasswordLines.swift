internal import InsecureDigests
internal import NTLM
internal import Secrets
internal import WireFormat

/// Reads passwords, one per line, in pieces of 1 MiB, which keeps all SIMD lanes busy. The memory is constant.
struct PasswordLines: ~Copyable {
    /// Bytes per read.
    private static let pieceBytes = 1 << 20
    /// The most bytes of a line. A longer line is refused as soon as this many are read, and the rest is skipped.
    private static let longestLine = SecretInput.maximumBytes

    private var buffer = [UInt8](repeating: 0, count: PasswordLines.pieceBytes + PasswordLines.longestLine)
    /// Bytes in the buffer: the start of an unfinished line, and the bytes that were read after it.
    private var filled = 0
    private var hasEnded = false
    /// The number of the first line in the buffer.
    private var line = 1
    /// Whether the buffer starts inside a line that was refused before its end was read.
    private var isInsideRefusedLine = false
    private var batch = PasswordBatch(capacity: PasswordLines.pieceBytes + PasswordLines.longestLine)

    /// Overwrites the buffer. Call it last.
    mutating func forget() {
        erase(&buffer)
        filled = 0
        hasEnded = true
    }

    /// Reads the next piece; returns whether there are lines to hash.
    mutating func readMore() throws(InputError) -> Bool {
        guard !hasEnded else { return false }
        let got = try StandardInput.read(into: &buffer, from: filled)
        filled += got
        hasEnded = got == 0
        return got > 0 || filled > 0 || isInsideRefusedLine
    }

    /// Hashes every complete line.
    ///
    /// - Returns: for each line 32 digits and a line ending; only a line ending for a refused line.
    mutating func hashes(refused: inout RefusedLines) -> [UInt8] {
        // For each line of this piece, whether it has a hash.
        var isHashed: [Bool] = []
        var start = line == 1 ? ForeignFile.markLength(buffer.span.extracting(0..<filled)) : 0
        for index in 0..<filled where buffer[index] == UInt8(ascii: "\n") {
            addLine(start..<index, &isHashed, &refused)
            start = index + 1
        }
        if hasEnded, start < filled || isInsideRefusedLine {
            addLine(start..<filled, &isHashed, &refused)
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

    private mutating func addLine(_ range: Range<Int>, _ isHashed: inout [Bool], _ refused: inout RefusedLines) {
        defer { line += 1 }
        guard !isInsideRefusedLine else {
            isInsideRefusedLine = false
            isHashed.append(false)
            return
        }
        var end = range.upperBound
        // Files from Windows have CRLF line endings; a password does not end with a carriage return.
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

    /// Moves the start of an unfinished line to the front of the buffer. A line that is too long is refused.
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

/// The printed form of a hash: 32 hexadecimal digits and a line ending.
enum HashLine {
    static let count = 33

    static func append(_ hash: Span<UInt8>, to output: inout [UInt8]) {
        Hexadecimal.append(hash, to: &output)
        output.append(UInt8(ascii: "\n"))
    }

    static func text(of hash: Span<UInt8>) -> String { Hexadecimal.encode(hash) + "\n" }
}
