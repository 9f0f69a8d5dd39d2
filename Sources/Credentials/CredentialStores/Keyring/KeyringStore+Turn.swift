internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension KeyringStore: ProcessSharedStore {
    /// Waits for this process's turn, which is a lock on a file of the user's runtime folder, because a keyring has none.
    package func turn() async -> StoreTurn? {
        await StoreTurn.wait(besides: "\(Self.runtimeFolder)/sallyport-keyring")
    }

    /// The folder of the XDG Base Directory Specification that only the user may write, as logind makes it.
    private static var runtimeFolder: String {
        if let named = unsafe getenv("XDG_RUNTIME_DIR"), unsafe named.pointee == CChar(UInt8(ascii: "/")) {
            return unsafe SystemPath.text(endingWithZero: named)
        }
        return "/run/user/\(geteuid())"
    }
}
