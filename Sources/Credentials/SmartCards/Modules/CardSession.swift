internal import CPKCS11
internal import Secrets

/// A session with a card, closed with its last owner. One thread at a time uses it.
final class CardSession {
    let module: LoadedModule
    let slot: UInt
    private let handle: UInt

    init(_ module: LoadedModule, slot: UInt) throws(SmartCardError.Problem) {
        var handle: UInt = 0
        try module.call("C_OpenSession") { functions in unsafe p11_open_session(functions.pointer, slot, &handle) }
        self.module = module
        self.slot = slot
        self.handle = handle
    }

    deinit {
        // A session that is gone cannot be closed, and needs not be.
        _ = try? module.callUnchecked { functions in unsafe p11_close_session(functions.pointer, handle) }
    }

    /// Gives the PIN of the user; returns what the module returns.
    func login(_ pin: SharedSecret) throws(SmartCardError.Problem) -> ReturnValue {
        try pin.withBytes { bytes throws(SmartCardError.Problem) in
            try module.callUnchecked { functions in
                unsafe bytes.withUnsafeBufferPointer { buffer in
                    unsafe p11_login(functions.pointer, handle, buffer.baseAddress, UInt(buffer.count))
                }
            }
        }
    }

    /// Gives the PIN for one signature that has begun; returns what the module returns.
    func loginAgain(_ pin: SharedSecret) throws(SmartCardError.Problem) -> ReturnValue {
        try pin.withBytes { bytes throws(SmartCardError.Problem) in
            try module.callUnchecked { functions in
                unsafe bytes.withUnsafeBufferPointer { buffer in
                    unsafe p11_login_again(functions.pointer, handle, buffer.baseAddress, UInt(buffer.count))
                }
            }
        }
    }

    /// The objects of the card with a class.
    func objects(_ kind: ObjectClass) throws(SmartCardError.Problem) -> [UInt] {
        // One more than allowed shows that there are too many.
        var objects = [UInt](repeating: 0, count: SmartCardLimits.objects + 1)
        var count = UInt(objects.count)
        try module.call("C_FindObjects") { functions in
            unsafe objects.withUnsafeMutableBufferPointer { buffer in
                unsafe p11_find(functions.pointer, handle, kind.rawValue, buffer.baseAddress, &count)
            }
        }
        guard count <= UInt(SmartCardLimits.objects) else {
            throw .tooMany(kind.plural, limit: SmartCardLimits.objects)
        }
        return Array(objects.prefix(Int(count)))
    }

    /// The value of an attribute; `nil` if the object does not have it, or if the value has more than `limit` bytes.
    func attribute(_ kind: Attribute, of object: UInt, limit: Int) throws(SmartCardError.Problem) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: limit)
        var length = UInt(limit)
        let result = try module.callUnchecked { functions in
            unsafe value.withUnsafeMutableBufferPointer { buffer in
                unsafe p11_attribute(functions.pointer, handle, object, kind.rawValue, buffer.baseAddress, &length)
            }
        }
        switch result {
        case .ok: break
        case .unknownAttribute, .sensitive, .bufferTooSmall: return nil
        default: throw .failed("C_GetAttributeValue", result)
        }
        if length == p11_unavailable { return nil }
        guard length <= UInt(limit) else { throw .implausible("C_GetAttributeValue") }
        value.removeLast(limit - Int(length))
        return value
    }

    /// The value of an attribute that is a number.
    func number(_ kind: Attribute, of object: UInt) throws(SmartCardError.Problem) -> UInt? {
        let size = MemoryLayout<UInt>.size
        guard let bytes = try attribute(kind, of: object, limit: size), bytes.count == size else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt.self) }
    }

    /// The value of an attribute that is true or false.
    func flag(_ kind: Attribute, of object: UInt) throws(SmartCardError.Problem) -> Bool? {
        try attribute(kind, of: object, limit: 1).flatMap { $0.first.map { $0 != 0 } }
    }

    /// Signs bytes that are prepared for the mechanism.
    ///
    /// - Parameter confirm: called when the signature has begun.
    func sign(
        _ bytes: [UInt8],
        _ key: UInt,
        _ mechanism: CardMechanism,
        confirm: () throws(SmartCardError.Problem) -> Void
    ) throws(SmartCardError.Problem) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: SmartCardLimits.signatureBytes)
        var length = UInt(signature.count)
        var pss = mechanism.pss ?? p11_pss_parameters()
        try module.call("C_SignInit") { functions in
            unsafe withUnsafePointer(to: &pss) { pss in
                unsafe p11_begin_signing(
                    functions.pointer,
                    handle,
                    key,
                    mechanism.type,
                    mechanism.pss == nil ? nil : pss
                )
            }
        }
        try confirm()
        try module.call("C_Sign") { functions in
            unsafe signature.withUnsafeMutableBufferPointer { buffer in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    unsafe p11_sign(
                        functions.pointer,
                        handle,
                        bytes.baseAddress,
                        UInt(bytes.count),
                        buffer.baseAddress,
                        &length
                    )
                }
            }
        }
        guard length <= UInt(signature.count) else { throw .implausible("C_Sign") }
        return Array(signature.prefix(Int(length)))
    }
}

/// The classes of objects that are read (CK_OBJECT_CLASS).
enum ObjectClass: UInt {
    case certificate = 1
    case privateKey = 3

    var plural: String {
        switch self {
        case .certificate: "certificates"
        case .privateKey: "private keys"
        }
    }
}

/// The attributes that are read (CK_ATTRIBUTE_TYPE).
enum Attribute: UInt {
    case label = 0x3
    case value = 0x11
    case certificateType = 0x80
    case keyType = 0x100
    case id = 0x102
    case sign = 0x108
    case alwaysAuthenticate = 0x202
}
