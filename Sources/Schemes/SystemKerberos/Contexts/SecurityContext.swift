internal import CGSSAPI

/// A context of the library, which is deleted on every way out.
@safe
struct SecurityContext: ~Copyable, @unchecked Sendable {
    // Safe to send: owned by this value only, and used by one thread at a time.
    private var handle: sallyport_gss_context?
    private let library: KerberosLibrary
    private let operation: KerberosError.Operation
    private let subject: String?
    private var steps = 0
    private var isComplete = false
    private var hasFailed = false

    init(_ operation: KerberosError.Operation, about subject: String?, _ library: KerberosLibrary) {
        self.library = library
        self.operation = operation
        self.subject = subject
    }

    /// What a call of the library left: its status, and what it wants to send.
    struct Progress: ~Copyable {
        var status: Status
        var output: LibraryBuffer
    }

    /// Makes one step with `body`, which calls the library with the context.
    mutating func step(
        _ input: Span<UInt8>,
        _ body: (UnsafeMutablePointer<sallyport_gss_context?>, UnsafeMutablePointer<sallyport_gss_buffer>) -> Status,
        failed: (borrowing LibraryBuffer) -> Void = { _ in }
    ) throws(KerberosError) -> KerberosStep {
        guard !isComplete, !hasFailed else { throw KerberosError(operation, .outOfTurn, about: subject) }
        // Until the end of this step is good, every way out is a failure.
        hasFailed = true
        guard input.count <= KerberosLimits.tokenBytes else {
            throw KerberosError(operation, .tokenTooLong, about: subject)
        }
        steps += 1
        guard steps <= KerberosLimits.steps else { throw KerberosError(operation, .tooManySteps, about: subject) }
        var output = LibraryBuffer(library)
        let status = unsafe output.fill { unsafe body(&handle, $0) }
        guard status.isSuccess else {
            failed(output)
            throw library.error(operation, status, about: subject)
        }
        guard output.count <= KerberosLimits.tokenBytes else {
            throw KerberosError(operation, .tokenTooLong, about: subject)
        }
        let step = KerberosStep(token: output.bytes(limit: KerberosLimits.tokenBytes), isComplete: !status.continues)
        guard step.isComplete || !step.token.isEmpty else {
            throw KerberosError(operation, .malformedToken, about: subject)
        }
        isComplete = step.isComplete
        hasFailed = false
        return step
    }

    /// Ends the context, so that later calls fail.
    mutating func fail(_ reason: KerberosError.Reason) -> KerberosError {
        hasFailed = true
        return KerberosError(operation, reason, about: subject)
    }

    mutating func messageIntegrityCode(of message: Span<UInt8>) throws(KerberosError) -> [UInt8] {
        try checkReady(.sign, message)
        var minor = UInt32(0)
        var output = LibraryBuffer(library)
        let major = unsafe withLibraryBuffer(message) { message in
            unsafe output.fill { unsafe library.functions.get_mic(&minor, handle, 0, message, $0) }
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw library.error(.sign, status, about: subject) }
        return output.bytes(limit: KerberosLimits.tokenBytes)
    }

    mutating func verify(_ code: Span<UInt8>, of message: Span<UInt8>) throws(KerberosError) {
        try checkReady(.verify, message)
        guard code.count <= KerberosLimits.tokenBytes else {
            throw KerberosError(.verify, .tokenTooLong, about: subject)
        }
        var minor = UInt32(0)
        let major = unsafe withLibraryBuffer(message) { message in
            unsafe withLibraryBuffer(code) { code in
                unsafe library.functions.verify_mic(&minor, handle, message, code, nil)
            }
        }
        let status = Status(major: major, minor: minor)
        guard status.isSuccess else { throw library.error(.verify, status, about: subject) }
        // A code that came before, or too late, is a success with a note (RFC 2744, 5.33).
        guard status.major == 0 else { throw KerberosError(.verify, .replayed, about: subject, major: major) }
    }

    private func checkReady(_ operation: KerberosError.Operation, _ message: Span<UInt8>) throws(KerberosError) {
        guard isComplete, !hasFailed else { throw KerberosError(operation, .outOfTurn, about: subject) }
        guard message.count <= KerberosLimits.messageBytes else {
            throw KerberosError(operation, .tokenTooLong, about: subject)
        }
    }

    deinit {
        guard unsafe handle != nil else { return }
        var (minor, handle) = unsafe (UInt32(0), handle)
        _ = unsafe library.functions.delete_context(&minor, &handle, nil)
    }
}

/// What a side asks of a context, and what the library says that it has (RFC 2744, 5.19; the last two are extensions).
enum ContextFlags {
    static let delegation: UInt32 = 1
    static let mutual: UInt32 = 2
    static let replay: UInt32 = 4
    static let sequence: UInt32 = 8
    static let integrity: UInt32 = 32
    static let anonymous: UInt32 = 64
    static let channelBound: UInt32 = 2_048
    static let delegationByPolicy: UInt32 = 32_768
}

/// Calls `body` with channel bindings over `bytes` as application data, or with `nil`.
func withChannelBindings<Result>(
    _ bytes: [UInt8]?,
    _ body: (UnsafeMutablePointer<sallyport_gss_channel_bindings>?) -> Result
) -> Result {
    guard let bytes else { return body(nil) }
    return unsafe withLibraryBuffer(bytes.span) { buffer in
        // Address type 0: the addresses do not count (RFC 2744, 3.11).
        var bindings = unsafe sallyport_gss_channel_bindings()
        unsafe bindings.application_data = unsafe buffer.pointee
        return unsafe body(&bindings)
    }
}
