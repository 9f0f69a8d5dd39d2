internal import Secrets

/// A key for the pseudonyms of a transcript. Transcripts with one key have the same pseudonyms.
public struct TranscriptKey: Sendable {
    let key: SharedSecret

    /// A random key.
    public init() { key = .random() }

    /// A key of these bytes; use 32 random ones.
    public init(bytes: [UInt8]) { key = SharedSecret(SecretBytes(copying: bytes.span)) }
}

extension TranscriptKey: CustomStringConvertible, CustomReflectable {
    /// A text without the key.
    public var description: String { "key of a transcript" }

    /// Nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
