/// Paths as texts that can hold every name of a file, also one that is not UTF-8.
///
/// A Swift text cannot hold other bytes, and to repair them names another file. So a byte 0x80 to 0xFF that belongs to no
/// UTF-8 stands as the scalar U+10FF00 + byte, from the private use area's end; the bytes of such a scalar stand the same way,
/// so that two different names are two different texts. Every path of this package is such a text: of a name without these
/// scalars it is the name itself.
package enum SystemPath {
    private static let firstScalar: UInt32 = 0x10_FF00
    /// With which byte a scalar for a byte begins in UTF-8; hardly anything else does.
    private static let firstByte: UInt8 = 0xF4

    /// The text for the bytes of a path.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(firstByte) { return text }
        var text = String.UnicodeScalarView()
        var start = 0
        while start < bytes.count {
            let end = characterEnd(in: bytes, from: start)
            if let end, let scalar = String(decoding: bytes[start..<end], as: UTF8.self).unicodeScalars.first,
                byte(of: scalar) == nil
            {
                text.append(scalar)
            } else {
                for byte in bytes[start..<(end ?? start + 1)] {
                    if let scalar = Unicode.Scalar(firstScalar + UInt32(byte)) { text.append(scalar) }
                }
            }
            start = end ?? start + 1
        }
        return String(text)
    }

    /// The text for a path that the system gave, which ends with a NUL.
    @unsafe
    package static func text(endingWithZero start: UnsafePointer<CChar>) -> String {
        var bytes: [UInt8] = []
        while unsafe start[bytes.count] != 0 { bytes.append(UInt8(bitPattern: unsafe start[bytes.count])) }
        return text(bytes)
    }

    /// The bytes that `path` stands for.
    package static func bytes(_ path: String) -> [UInt8] {
        guard path.utf8.contains(firstByte) else { return [UInt8](path.utf8) }
        var bytes: [UInt8] = []
        for scalar in path.unicodeScalars {
            if let byte = byte(of: scalar) { bytes.append(byte) } else { bytes += Array(String(scalar).utf8) }
        }
        return bytes
    }

    /// Whether a byte of `path` is not UTF-8.
    package static func isUTF8(_ path: String) -> Bool {
        !path.utf8.contains(firstByte) || !path.unicodeScalars.contains { byte(of: $0) != nil }
    }

    /// The byte that `scalar` stands for, and `nil` for one that stands for itself.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= firstScalar + 0x80 else { return nil }
        return UInt8(truncatingIfNeeded: scalar.value)
    }

    /// Calls `body` with what the system's calls take; it must not keep it.
    ///
    /// A text with a NUL would end there and name another file; `body` gets an empty path, which the system refuses.
    package static func withSystemPath<Result, Failure: Error>(
        _ path: String,
        _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !path.utf8.contains(0) else { return try unsafe lend("", body) }
        guard path.utf8.contains(firstByte) else { return try unsafe lend(path, body) }
        let bytes = bytes(path).map { CChar(bitPattern: $0) } + [0]
        let outcome = unsafe bytes.withUnsafeBufferPointer { buffer -> Swift.Result<Result, Failure> in
            // Not nil: a zero stands at its end.
            let start = unsafe buffer.baseAddress.unsafelyUnwrapped
            do throws(Failure) { return .success(try unsafe body(start)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private static func lend<Result, Failure: Error>(
        _ path: String,
        _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome = unsafe path.withCString { start -> Swift.Result<Result, Failure> in
            do throws(Failure) { return .success(try unsafe body(start)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Where the character that starts at `start` ends; `nil` when none starts there.
    private static func characterEnd(in bytes: [UInt8], from start: Int) -> Int? {
        for end in start + 1...start + 4
        where end <= bytes.count && String(validating: bytes[start..<end], as: UTF8.self) != nil {
            return end
        }
        return nil
    }
}
