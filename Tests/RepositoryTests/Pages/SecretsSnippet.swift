import Secrets

/// The snippet of Secrets.md.
enum SecretsSnippet {
    /// Returns what is left of the source.
    static func keep(_ password: String, send: (Span<UInt8>) -> Void) -> [UInt8] {
        var typed = Array(password.utf8)
        let secret = SecretBytes(consuming: &typed)  // erases `typed`
        secret.withBytes { bytes in send(bytes) }
        return typed
    }
}
