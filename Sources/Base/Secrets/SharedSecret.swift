/// A secret with several owners; it is erased when the last owner is gone.
///
/// A noncopyable ``SecretBytes`` cannot be stored in an array or a dictionary; this class can. Printing it does not
/// show the contents.
public final class SharedSecret: Sendable {
    private let bytes: SecretBytes

    /// Takes ownership of `bytes`.
    public init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// The number of bytes.
    public var count: Int { bytes.count }

    /// Calls `body` with the bytes; they must not be copied out of it.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
    /// A fixed text, without the contents.
    public var description: String { "<secret>" }

    /// Has no children, so that `dump` and debuggers do not show the contents either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
