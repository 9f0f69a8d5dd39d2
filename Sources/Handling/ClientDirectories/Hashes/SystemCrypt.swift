internal import Secrets

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Why the system's crypt made no hash.
package enum SystemCryptError: Error, Equatable {
    /// The system has no `libcrypt` with `crypt_rn`.
    case missing
    /// The library does not know the form of the hash, or takes no such password.
    case refused
}

extension SystemCryptError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing:
            "this system has no libcrypt with crypt_rn: install libcrypt1, or write the passwords with htpasswd -m"
        case .refused:
            "the system's crypt does not know the form of a hash: write that password again, with htpasswd -B"
        }
    }
}

/// The system's crypt (libxcrypt), loaded when it is first needed, so that a program without hashed passwords does without.
enum SystemCrypt {
    private typealias Function =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, CInt)
        -> UnsafePointer<CChar>?

    /// Bytes of libxcrypt's `struct crypt_data`.
    private static let workBytes = 32_768

    /// Its address. It is loaded once and never unloaded.
    private static let function: UInt = {
        #if os(Linux)
            // The second is that of Fedora and Arch.
            for name in ["libcrypt.so.1", "libcrypt.so.2"] {
                guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
                    let symbol = unsafe dlsym(library, "crypt_rn")
                else { continue }
                return UInt(bitPattern: symbol)
            }
            return 0
        #else
            return 0
        #endif
    }()

    /// Whether there is one.
    static var isAvailable: Bool { function != 0 }

    /// The hash of a password, with form, cost and salt of `setting`. The caller erases it. Blocks for as long as the form wants.
    static func hash(_ password: SharedSecret, as setting: [UInt8]) throws(SystemCryptError) -> [UInt8] {
        guard let address = unsafe UnsafeRawPointer(bitPattern: function) else { throw .missing }
        // The function of this name has this signature since libxcrypt 4.
        let function = unsafe unsafeBitCast(address, to: Function.self)
        // Texts with a zero at their ends, and the memory that the library works in, all erased.
        var phrase = password.withBytes { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count + 1)
            for index in bytes.indices { text.append(bytes[index]) }
            return text
        }
        phrase.append(0)
        var work = [UInt8](repeating: 0, count: workBytes)
        defer {
            erase(&phrase)
            erase(&work)
        }
        let form = setting + [0]
        // In bounds: the library writes no more than the count, and its result is a text inside the same memory that ends with a zero.
        let result: [UInt8]? = unsafe work.withUnsafeMutableBytes { memory in
            unsafe phrase.withUnsafeBytes { phrase in
                unsafe form.withUnsafeBytes { form in
                    guard let start = memory.baseAddress,
                        let phrase = unsafe phrase.assumingMemoryBound(to: CChar.self).baseAddress,
                        let form = unsafe form.assumingMemoryBound(to: CChar.self).baseAddress,
                        let text = unsafe function(phrase, form, start, CInt(workBytes))
                    else { return nil }
                    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
                }
            }
        }
        // A text that begins with an asterisk says that it failed.
        guard let result, result.first != UInt8(ascii: "*") else { throw .refused }
        return result
    }
}
