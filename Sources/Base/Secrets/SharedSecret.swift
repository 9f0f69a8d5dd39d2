/// One secret with several owners; erased when the last of them goes.
///
/// A noncopyable ``SecretBytes`` cannot stand in an array or a dictionary; this class can, and says nothing of its
/// contents to anybody who prints it.
public final class SharedSecret: Sendable {
    private let bytes: SecretBytes

    /// Takes ownership of `bytes`.
    public init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// How many bytes there are.
    public var count: Int { bytes.count }

    /// Calls `body` with the bytes; they must not be copied out of it.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
    /// Says that something is there, and nothing more.
    public var description: String { "<secret>" }

    /// No children, so that `dump` and debuggers' summaries stay silent as well.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
