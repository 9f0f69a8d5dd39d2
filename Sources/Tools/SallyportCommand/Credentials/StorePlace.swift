internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Where the store and the files of a user lie (XDG Base Directory Specification).
enum StorePlace {
    /// `$XDG_DATA_HOME/sallyport/credentials`; `nil` if the environment names no folder.
    static var standard: String? {
        base("XDG_DATA_HOME", otherwise: ".local/share").map { "\($0)/sallyport/credentials" }
    }

    /// The folder of the specification that `variable` names, otherwise one in the user's own; `nil` if the environment names none.
    static func base(_ variable: String, otherwise place: String) -> String? {
        // The specification: a path that is not absolute is invalid and ignored.
        if let named = folder(variable), named.hasPrefix("/") { return named }
        return folder("HOME").map { "\($0)/\(place)" }
    }

    /// The folder that an environment variable names.
    static func folder(_ variable: String) -> String? {
        guard let value = unsafe getenv(variable), unsafe value.pointee != 0 else { return nil }
        // The text of a variable ends with a zero.
        return unsafe SystemPath.text(endingWithZero: value)
    }

    /// Makes the folder of the store at `path` and those above it with mode 0700, which the specification asks for. Folders that
    /// exist stay as they are.
    ///
    /// - Returns: 0 or the system's error number.
    static func makeFolder(ofStoreAt path: String) -> Int32 {
        let bytes = SystemPath.bytes(path)
        for end in bytes.indices where end > 0 && bytes[end] == UInt8(ascii: "/") {
            let folder = SystemPath.text(Array(bytes[..<end]))
            guard !FileReading.isTaken(folder) else { continue }
            let made = unsafe SystemPath.withSystemPath(folder) { unsafe mkdir($0, 0o700) }
            // Another process may have made it meanwhile.
            if made != 0, errno != EEXIST { return errno }
        }
        return 0
    }
}
