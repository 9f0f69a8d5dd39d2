internal import CPKCS11
internal import Synchronization
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A PKCS #11 module in this process. All users of one library share its initialisation, which ends with the last of them.
///
/// The code of the library stays in memory, because modules register functions that run at the end of the process.
@safe
final class LoadedModule: Sendable {
    let path: String
    private let processID: pid_t
    // Safe to send: only dlclose gets it, once.
    private nonisolated(unsafe) let handle: UnsafeMutableRawPointer
    private let functions: FunctionList

    /// Loads the library and initialises it, if that has not happened yet.
    ///
    /// - Complexity: waits for the file system and the module, which may start threads and search for readers.
    init(path: String) throws(SmartCardError.Problem) {
        self.path = path
        processID = getpid()
        // With another path the system would search in folders that the environment names.
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .relativePath }
        guard FileReading.exists(path) else { throw .missingModule }
        let found = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
        guard let found = unsafe found else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) }
            throw .unloadableModule(reason: reason ?? "unknown reason")
        }
        unsafe handle = found
        do throws(SmartCardError.Problem) {
            functions = try unsafe Self.initialize(found, processID)
        } catch {
            unsafe dlclose(found)
            throw error
        }
    }

    deinit {
        // In a forked child the module is not initialised, and the parent still uses it.
        if processID == getpid() { unsafe Self.release(handle, functions) }
        unsafe dlclose(handle)
    }

    /// Calls the module, and checks what it returns.
    func call(
        _ name: String,
        _ body: (FunctionList) -> UInt
    ) throws(SmartCardError.Problem) {
        let value = try callUnchecked(body)
        guard value == .ok else { throw .failed(name, value) }
    }

    /// Calls the module; returns what it returns.
    func callUnchecked(_ body: (FunctionList) -> UInt) throws(SmartCardError.Problem) -> ReturnValue {
        // A child of fork() must not use what its parent initialised (PKCS #11 2.40 section 6.6).
        guard processID == getpid() else { throw .forked }
        return ReturnValue(rawValue: body(functions))
    }

    // MARK: - Users

    private struct Users {
        var count = 0
        /// Whether this library initialised the module; other code of the process may have done so.
        var isOurs = false
        let processID: pid_t
    }

    /// By the handle of the library.
    private static let users = Mutex<[UInt: Users]>([:])

    /// The number of modules that are initialised.
    static var openModules: Int { users.withLock { $0.count } }

    private static func initialize(
        _ handle: UnsafeMutableRawPointer,
        _ processID: pid_t
    ) throws(SmartCardError.Problem) -> FunctionList {
        guard let symbol = unsafe dlsym(handle, "C_GetFunctionList") else { throw .notAModule }
        var list: OpaquePointer?
        let value = unsafe ReturnValue(rawValue: p11_load(symbol, &list))
        guard value == .ok, let pointer = unsafe list else { throw .failed("C_GetFunctionList", value) }
        let functions = unsafe FunctionList(pointer: pointer)
        let version = unsafe p11_version(functions.pointer)
        guard [2, 3].contains(version >> 8) else {
            throw .unsupportedVersion("\(version >> 8).\(version & 0xFF)")
        }
        let key = UInt(bitPattern: handle)
        // The lock is held during C_Initialize, so that another user's C_Finalize does not come in between.
        let problem: SmartCardError.Problem? = users.withLock { users in
            var entry = users[key] ?? Users(processID: processID)
            if entry.processID != processID { entry = Users(processID: processID) }
            if entry.count == 0 {
                let value = unsafe ReturnValue(rawValue: p11_initialize(functions.pointer))
                switch value {
                case .ok: entry.isOurs = true
                case .alreadyInitialized: entry.isOurs = false
                case .cannotLock: return .notThreadSafe
                default: return .failed("C_Initialize", value)
                }
            }
            entry.count += 1
            users[key] = entry
            return nil
        }
        if let problem { throw problem }
        return functions
    }

    private static func release(_ handle: UnsafeMutableRawPointer, _ functions: FunctionList) {
        let key = UInt(bitPattern: handle)
        users.withLock { users in
            guard var entry = users[key] else { return }
            entry.count -= 1
            guard entry.count == 0 else {
                users[key] = entry
                return
            }
            users[key] = nil
            // Nothing can be done about a module that does not end.
            if entry.isOurs { _ = unsafe p11_finalize(functions.pointer) }
        }
    }
}

/// The functions of a module (CK_FUNCTION_LIST), which are in memory as long as the process.
@safe
struct FunctionList: Sendable {
    // Safe to send: the list never changes, and the module is initialised for use by several threads.
    nonisolated(unsafe) let pointer: OpaquePointer
}
