/// What a function of a module returns (CK_RV).
public struct ReturnValue: Hashable, Sendable {
    /// The number, as the module returns it.
    public let rawValue: UInt

    /// Makes a value from its number.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    static let ok = ReturnValue(rawValue: 0x0)
    static let cannotLock = ReturnValue(rawValue: 0xA)
    static let sensitive = ReturnValue(rawValue: 0x11)
    static let unknownAttribute = ReturnValue(rawValue: 0x12)
    static let deviceRemoved = ReturnValue(rawValue: 0x32)
    static let keyHandleInvalid = ReturnValue(rawValue: 0x60)
    static let objectHandleInvalid = ReturnValue(rawValue: 0x82)
    static let operationActive = ReturnValue(rawValue: 0x90)
    static let pinIncorrect = ReturnValue(rawValue: 0xA0)
    static let pinInvalid = ReturnValue(rawValue: 0xA1)
    static let pinLengthRange = ReturnValue(rawValue: 0xA2)
    static let pinExpired = ReturnValue(rawValue: 0xA3)
    static let pinLocked = ReturnValue(rawValue: 0xA4)
    static let sessionClosed = ReturnValue(rawValue: 0xB0)
    static let sessionHandleInvalid = ReturnValue(rawValue: 0xB3)
    static let tokenNotPresent = ReturnValue(rawValue: 0xE0)
    static let tokenNotRecognized = ReturnValue(rawValue: 0xE1)
    static let alreadyLoggedIn = ReturnValue(rawValue: 0x100)
    static let notLoggedIn = ReturnValue(rawValue: 0x101)
    static let pinNotInitialized = ReturnValue(rawValue: 0x102)
    static let bufferTooSmall = ReturnValue(rawValue: 0x150)
    static let alreadyInitialized = ReturnValue(rawValue: 0x191)

    /// Whether the session, its login or its handles are gone, so that a new session may help.
    var isLostSession: Bool {
        [
            Self.deviceRemoved, .sessionClosed, .sessionHandleInvalid, .tokenNotPresent, .tokenNotRecognized,
            .notLoggedIn,
            .keyHandleInvalid, .objectHandleInvalid, .operationActive,
        ].contains(self)
    }
}

extension ReturnValue: CustomStringConvertible {
    /// The name of the specification, such as `CKR_DEVICE_REMOVED`, or the number.
    public var description: String { Self.names[rawValue] ?? "CKR_0x\(String(rawValue, radix: 16))" }

    /// The values of PKCS #11 2.40 that the functions used here can return.
    static let names: [UInt: String] = [
        0x0: "CKR_OK", 0x1: "CKR_CANCEL", 0x2: "CKR_HOST_MEMORY", 0x3: "CKR_SLOT_ID_INVALID",
        0x5: "CKR_GENERAL_ERROR", 0x6: "CKR_FUNCTION_FAILED", 0x7: "CKR_ARGUMENTS_BAD",
        0x9: "CKR_NEED_TO_CREATE_THREADS", 0xA: "CKR_CANT_LOCK", 0x11: "CKR_ATTRIBUTE_SENSITIVE",
        0x12: "CKR_ATTRIBUTE_TYPE_INVALID", 0x13: "CKR_ATTRIBUTE_VALUE_INVALID", 0x1B: "CKR_ACTION_PROHIBITED",
        0x20: "CKR_DATA_INVALID", 0x21: "CKR_DATA_LEN_RANGE", 0x30: "CKR_DEVICE_ERROR", 0x31: "CKR_DEVICE_MEMORY",
        0x32: "CKR_DEVICE_REMOVED", 0x50: "CKR_FUNCTION_CANCELED", 0x54: "CKR_FUNCTION_NOT_SUPPORTED",
        0x60: "CKR_KEY_HANDLE_INVALID", 0x62: "CKR_KEY_SIZE_RANGE", 0x63: "CKR_KEY_TYPE_INCONSISTENT",
        0x68: "CKR_KEY_FUNCTION_NOT_PERMITTED", 0x70: "CKR_MECHANISM_INVALID", 0x71: "CKR_MECHANISM_PARAM_INVALID",
        0x82: "CKR_OBJECT_HANDLE_INVALID", 0x90: "CKR_OPERATION_ACTIVE", 0x91: "CKR_OPERATION_NOT_INITIALIZED",
        0xA0: "CKR_PIN_INCORRECT", 0xA1: "CKR_PIN_INVALID", 0xA2: "CKR_PIN_LEN_RANGE", 0xA3: "CKR_PIN_EXPIRED",
        0xA4: "CKR_PIN_LOCKED", 0xB0: "CKR_SESSION_CLOSED", 0xB1: "CKR_SESSION_COUNT",
        0xB3: "CKR_SESSION_HANDLE_INVALID", 0xB4: "CKR_SESSION_PARALLEL_NOT_SUPPORTED",
        0xB8: "CKR_SESSION_READ_WRITE_SO_EXISTS", 0xD0: "CKR_TEMPLATE_INCOMPLETE", 0xD1: "CKR_TEMPLATE_INCONSISTENT",
        0xE0: "CKR_TOKEN_NOT_PRESENT", 0xE1: "CKR_TOKEN_NOT_RECOGNIZED", 0xE2: "CKR_TOKEN_WRITE_PROTECTED",
        0x100: "CKR_USER_ALREADY_LOGGED_IN", 0x101: "CKR_USER_NOT_LOGGED_IN",
        0x102: "CKR_USER_PIN_NOT_INITIALIZED", 0x103: "CKR_USER_TYPE_INVALID",
        0x104: "CKR_USER_ANOTHER_ALREADY_LOGGED_IN", 0x105: "CKR_USER_TOO_MANY_TYPES",
        0x120: "CKR_RANDOM_SEED_NOT_SUPPORTED",
        0x130: "CKR_DOMAIN_PARAMS_INVALID", 0x140: "CKR_CURVE_NOT_SUPPORTED", 0x150: "CKR_BUFFER_TOO_SMALL",
        0x190: "CKR_CRYPTOKI_NOT_INITIALIZED", 0x191: "CKR_CRYPTOKI_ALREADY_INITIALIZED", 0x1A0: "CKR_MUTEX_BAD",
        0x200: "CKR_FUNCTION_REJECTED",
    ]
}
