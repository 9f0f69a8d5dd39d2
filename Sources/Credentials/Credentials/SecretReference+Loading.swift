public import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension SecretReference {
    /// The most bytes of a secret. A longer file is refused, because it is probably the wrong file.
    public static let maximumBytes = SecretLimits.bytes

    /// Reads the secret into memory that is erased with its last owner.
    ///
    /// A pipe, such as the shell makes for `<(…)`, is read to its end, for at most 30 seconds.
    ///
    /// - Parameters:
    ///   - strict: whether a file that other users of the machine may use, or that belongs to one, is an error.
    ///   - warn: called with that error if it is not one.
    /// - Complexity: one read of at most ``maximumBytes`` + 1 bytes; waits for the file system.
    public func load(
        strict: Bool = false,
        warn: (SecretReferenceError) -> Void = { _ in }
    ) throws(SecretReferenceError) -> SharedSecret {
        switch self {
        case .file(let path):
            var bytes = try Self.read(path, strict, warn)
            return try Self.secret(fromLine: &bytes, of: path)
        case .environment(let variable):
            var bytes = try Self.readEnvironment(variable)
            guard !bytes.isEmpty else { throw .empty(self) }
            return SharedSecret(SecretBytes(consuming: &bytes))
        }
    }

    /// The secret of a file with the given bytes, which are erased: its only line.
    package static func secret(
        fromLine bytes: inout [UInt8],
        of path: String
    ) throws(SecretReferenceError) -> SharedSecret {
        if let form = ForeignFile(bytes.span) {
            erase(&bytes)
            throw .otherForm(path: path, problem: "\(form)")
        }
        // A line ending at the end is not part of the secret, because editors add it.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(UInt8(ascii: "\n")) else {
            erase(&bytes)
            throw .moreThanOneLine(path: path)
        }
        let mark = ForeignFile.markLength(bytes.span)
        guard bytes.count - mark <= maximumBytes else {
            erase(&bytes)
            throw .tooLong(path: path)
        }
        guard bytes.count > mark else { throw .empty(.file(path: path)) }
        guard mark > 0 else { return SharedSecret(SecretBytes(consuming: &bytes)) }
        defer { erase(&bytes) }
        return SharedSecret(SecretBytes(copying: bytes.span.extracting(mark..<bytes.count)))
    }

    /// The bytes of a file.
    private static func read(
        _ path: String,
        _ strict: Bool,
        _ warn: (SecretReferenceError) -> Void
    ) throws(SecretReferenceError) -> [UInt8] {
        do throws(PrivateFileProblem) {
            let file = try PrivateFile(path, nil, orPipe: true)
            if let problem = file.problem(under: .secret) {
                guard !strict else { throw problem }
                warn(SecretReferenceError(problem, path))
            }
            // The ending of the line may follow, and the mark of UTF-8 precede.
            if let bytes = try file.read(atMost: maximumBytes + 5) { return bytes }
        } catch {
            throw SecretReferenceError(error, path)
        }
        throw .tooLong(path: path)
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

extension SecretReferenceError {
    fileprivate init(_ problem: PrivateFileProblem, _ path: String) {
        self =
            switch problem {
            case .missing: .unreadable(path: path, code: ENOENT)
            case .othersMayUse: .readableByOthers(path: path)
            case .othersMayUseRoots(let mode): .rootsFileOpenToOthers(path: path, mode: mode)
            case .notOwned: .notOwned(path: path)
            case .system(_, let code): .unreadable(path: path, code: code)
            }
    }
}
