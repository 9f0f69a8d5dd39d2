enum ParentStatus {
    /// Proxy Authentication Required.
    static let challenge = 407
}

enum ServerStatus {
    /// Unauthorized.
    static let challenge = 401
}
