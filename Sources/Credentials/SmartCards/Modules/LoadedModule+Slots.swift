internal import CPKCS11

extension LoadedModule {
    /// The slots that hold a card.
    func slots() throws(SmartCardError.Problem) -> [UInt] {
        try unsafe list("C_GetSlotList", "slots", limit: SmartCardLimits.slots) { functions, slots, count in
            unsafe p11_slots(functions.pointer, slots, count)
        }
    }

    /// The mechanisms of a slot.
    func mechanisms(of slot: UInt) throws(SmartCardError.Problem) -> Set<UInt> {
        Set(
            try unsafe list("C_GetMechanismList", "mechanisms", limit: SmartCardLimits.mechanisms) {
                functions,
                list,
                count in
                unsafe p11_mechanisms(functions.pointer, slot, list, count)
            }
        )
    }

    /// What a card says of itself, and its flags.
    func card(in slot: UInt) throws(SmartCardError.Problem) -> (info: CardInfo, flags: CardFlags) {
        var raw = p11_token_info()
        try call("C_GetTokenInfo") { functions in unsafe p11_token(functions.pointer, slot, &raw) }
        let info = CardInfo(
            label: Self.text(raw.label),
            manufacturer: Self.text(raw.manufacturer),
            model: Self.text(raw.model),
            serial: Self.text(raw.serial)
        )
        return (info, CardFlags(rawValue: raw.flags))
    }

    /// A field that spaces fill up. Bytes that are not UTF-8 become U+FFFD, so that they fit no URI.
    private static func text<Field>(_ field: Field) -> String {
        unsafe withUnsafeBytes(of: field) { bytes in
            let end = unsafe bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != 0 }.map { $0 + 1 } ?? 0
            return unsafe String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    private func list(
        _ function: String,
        _ things: String,
        limit: Int,
        _ body: (FunctionList, UnsafeMutablePointer<UInt>, UnsafeMutablePointer<UInt>) -> UInt
    ) throws(SmartCardError.Problem) -> [UInt] {
        var values = [UInt](repeating: 0, count: limit)
        var count = UInt(limit)
        let value = try callUnchecked { functions in
            unsafe values.withUnsafeMutableBufferPointer { buffer in
                // The array has `limit` elements, at least one.
                unsafe body(functions, buffer.baseAddress.unsafelyUnwrapped, &count)
            }
        }
        guard value != .bufferTooSmall else { throw .tooMany(things, limit: limit) }
        guard value == .ok else { throw .failed(function, value) }
        guard count <= UInt(limit) else { throw .implausible(function) }
        return Array(values.prefix(Int(count)))
    }
}

/// What a card says of itself.
public struct CardInfo: Hashable, Sendable {
    /// The name that its owner gave it.
    public let label: String
    /// Who made it.
    public let manufacturer: String
    /// Its model, as the manufacturer writes it.
    public let model: String
    /// Its serial number.
    public let serial: String

    /// Whether the card is one that the URI names.
    func fits(_ uri: PKCS11URI) -> Bool {
        func fits(_ wanted: String?, _ text: String) -> Bool { wanted == nil || wanted == text }
        return fits(uri.token, label) && fits(uri.manufacturer, manufacturer) && fits(uri.model, model)
            && fits(uri.serial, serial)
    }
}

/// The flags of a card (CK_TOKEN_INFO).
struct CardFlags: OptionSet {
    let rawValue: UInt

    static let loginRequired = CardFlags(rawValue: 1 << 2)
    static let protectedAuthenticationPath = CardFlags(rawValue: 1 << 8)
    static let tokenInitialized = CardFlags(rawValue: 1 << 10)
    static let pinCountLow = CardFlags(rawValue: 1 << 16)
    static let pinFinalTry = CardFlags(rawValue: 1 << 17)
    static let pinLocked = CardFlags(rawValue: 1 << 18)

    /// What they say about wrong PINs.
    var pinState: SmartCardError.PINState {
        if contains(.pinLocked) { return .locked }
        if contains(.pinFinalTry) { return .lastTry }
        return contains(.pinCountLow) ? .tried : .unknown
    }
}
