extension SharedSecret {
    /// The UTF-8 bytes of `text`.
    ///
    /// The text itself is not erased, because a `String` cannot be: read secrets as bytes where you can.
    public convenience init(utf8 text: String) {
        var bytes = Array(text.utf8)
        self.init(SecretBytes(consuming: &bytes))
    }
}
