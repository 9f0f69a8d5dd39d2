public import Secrets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension SecretReference {
    /// The most bytes of a secret. A longer file is refused, because it is probably the wrong file.
    public static let maximumBytes = 4096

    /// Reads the secret into memory that is erased with its last owner.
    ///
    /// - Parameters:
    ///   - strict: whether a file that other users of the machine may read is an error.
    ///   - warn: called with that error if it is not one.
    /// - Complexity: one read of at most ``maximumBytes`` + 1 bytes; waits for the file system.
    public func load(
        strict: Bool = false,
        warn: (SecretReferenceError) -> Void = { _ in }
    ) throws(SecretReferenceError) -> SharedSecret {
        var bytes: [UInt8]
        switch self {
        case .file(let path):
            var isShared = false
            bytes = try Self.readFirstLine(of: path, &isShared)
            if isShared, strict {
                erase(&bytes)
                throw .readableByOthers(path: path)
            }
            if isShared { warn(.readableByOthers(path: path)) }
        case .environment(let variable): bytes = try Self.readEnvironment(variable)
        }
        guard !bytes.isEmpty else { throw .empty(self) }
        return SharedSecret(SecretBytes(consuming: &bytes))
    }

    /// The secret of a file with the given bytes, which are erased: its only line.
    package static func secret(
        fromLine bytes: inout [UInt8],
        of path: String
    ) throws(SecretReferenceError) -> SharedSecret {
        try keepFirstLine(&bytes, of: path)
        guard !bytes.isEmpty else { throw .empty(.file(path: path)) }
        return SharedSecret(SecretBytes(consuming: &bytes))
    }

    private static func readFirstLine(
        of path: String,
        _ isShared: inout Bool
    ) throws(SecretReferenceError) -> [UInt8] {
        var bytes = try readFile(path, &isShared)
        try keepFirstLine(&bytes, of: path)
        return bytes
    }

    private static func keepFirstLine(_ bytes: inout [UInt8], of path: String) throws(SecretReferenceError) {
        guard bytes.count <= maximumBytes else {
            erase(&bytes)
            throw .tooLong(path: path)
        }
        // A line ending at the end is not part of the secret, because editors add it.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            erase(&bytes)
            throw .moreThanOneLine(path: path)
        }
    }

    /// Reads up to ``maximumBytes`` + 1 bytes with system calls, because Foundation would leave copies in memory.
    private static func readFile(_ path: String, _ isShared: inout Bool) throws(SecretReferenceError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
        defer { close(descriptor) }
        // Of the open file, because the path may name another one a moment later.
        var status = stat()
        if unsafe fstat(descriptor, &status) == 0 { isShared = status.st_mode & (S_IRGRP | S_IROTH) != 0 }
        var failure: Int32?
        // `filled` is the number of bytes that are initialised, from the front.
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximumBytes + 1) { buffer, filled in
            while filled < buffer.count {
                // In bounds: `filled` < `count`, and `read` writes at most `rest.count` bytes.
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...]
                )
                let got = unsafe read(descriptor, rest.baseAddress, rest.count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                assert(got <= rest.count)
                filled += got
            }
        }
        if let failure {
            erase(&bytes)
            throw .unreadable(path: path, code: failure)
        }
        return bytes
    }

    private static func readEnvironment(_ variable: String) throws(SecretReferenceError) -> [UInt8] {
        // The variable itself is not erased, because other code of the process may need it.
        guard let value = unsafe getenv(variable) else { throw .notSet(variable: variable) }
        let length = unsafe strlen(value)
        return unsafe value.withMemoryRebound(to: UInt8.self, capacity: length) { start in
            unsafe [UInt8](UnsafeBufferPointer(start: start, count: length))
        }
    }
}
