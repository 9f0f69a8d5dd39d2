internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A group as the system's name services know it.
struct SystemGroup {
    let identifier: gid_t
    /// The names of those whose own group is another one.
    let members: [String]

    init?(named name: String) {
        guard !name.isEmpty else { return nil }
        unsafe self.init { entry, buffer, size, found in
            unsafe name.withCString { unsafe getgrnam_r($0, entry, buffer, size, found) }
        }
    }

    init?(numbered number: gid_t) {
        unsafe self.init { entry, buffer, size, found in unsafe getgrgid_r(number, entry, buffer, size, found) }
    }

    @unsafe
    private init?(
        _ look: (
            UnsafeMutablePointer<group>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<group>?>
        ) -> Int32
    ) {
        let found = unsafe NameService.look(group.init, look) { entry -> (gid_t, [String]) in
            var (names, next) = ([String](), unsafe entry.pointee.gr_mem)
            // The list ends with nil.
            while let place = unsafe next, let member = unsafe place.pointee {
                names.append(unsafe SystemPath.text(endingWithZero: member))
                unsafe next = place + 1
            }
            return (unsafe entry.pointee.gr_gid, names)
        }
        guard let found else { return nil }
        (identifier, members) = found
    }
}

/// A user as the system's name services know it.
struct SystemUser {
    let name: String
    let group: gid_t

    init?(_ number: uid_t) {
        let found = unsafe NameService.look(passwd.init) { entry, buffer, size, found in
            unsafe getpwuid_r(number, entry, buffer, size, found)
        } read: { entry -> (String, gid_t)? in
            // The system fills it for each user that it finds.
            unsafe (entry.pointee.pw_name as UnsafeMutablePointer<CChar>?).map {
                (unsafe SystemPath.text(endingWithZero: $0), unsafe entry.pointee.pw_gid)
            }
        }
        guard case let found?? = found else { return nil }
        (name, group) = found
    }
}

/// The calls of the system that fill an entry and its texts.
private enum NameService {
    /// The largest buffer for the texts of one entry: groups of directories have thousands of members.
    private static let mostBytes = 1 << 20

    /// Calls `look` with buffers of growing size; `nil` if there is no such entry.
    ///
    /// - Parameter read: copies what is needed; the texts lie in the buffer.
    @unsafe
    static func look<Entry, Result>(
        _ make: () -> Entry,
        _ look: (
            UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
        ) -> Int32,
        read: (UnsafeMutablePointer<Entry>) -> Result
    ) -> Result? {
        var size = 1_024
        while size <= mostBytes {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { unsafe buffer.deallocate() }
            var entry = make()
            let (code, result) = unsafe withUnsafeMutablePointer(to: &entry) { place -> (Int32, Result?) in
                var found: UnsafeMutablePointer<Entry>?
                let code = unsafe look(place, buffer, size, &found)
                return unsafe (code, code == 0 ? found.map { unsafe read($0) } : nil)
            }
            if code == EINTR { continue }
            guard code == ERANGE else { return result }
            size *= 4
        }
        return nil
    }
}
