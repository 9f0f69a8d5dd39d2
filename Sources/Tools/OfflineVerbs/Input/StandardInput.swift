internal import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Reads standard input with the system's call, because the input may be secret and Foundation would leave copies.
package enum StandardInput {
    /// Whether standard input is a terminal.
    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads the available bytes into `buffer` from `start` on; waits for at least one.
    ///
    /// - Returns: how many bytes were read; 0 at the end, and when `buffer` has no room.
    package static func read(into buffer: inout [UInt8], from start: Int) throws(InputError) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                // In bounds: the rest of the buffer, as long as it is.
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return unsafe systemRead(STDIN_FILENO, rest.baseAddress, rest.count)
            }
            if count >= 0 { return count }
            guard errno == EINTR else { throw .unreadable(code: errno) }
        }
    }

    private static func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            unsafe Darwin.read(file, start, count)
        #elseif canImport(Musl)
            unsafe Musl.read(file, start, count)
        #else
            unsafe Glibc.read(file, start, count)
        #endif
    }
}

/// Why standard input cannot be used.
package enum InputError: Error, Equatable {
    case unreadable(code: Int32)
    case ended
    case moreThanOneLine
    case tooLong(limit: Int)
    case noTerminal(code: Int32)
}

extension InputError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    package var description: String {
        switch self {
        case .unreadable(let code):
            "standard input cannot be read (\(SystemReason.text(code))): check where it comes from"
        case .ended: "standard input is empty: write the secret there"
        case .moreThanOneLine: "standard input has more than one line: write one secret"
        case .tooLong(let limit):
            "standard input has more than \(limit) bytes, which is too long for a password: check the input"
        case .noTerminal(let code):
            "the terminal cannot hide input (\(SystemReason.text(code))): write the secret to standard input instead"
        }
    }
}
