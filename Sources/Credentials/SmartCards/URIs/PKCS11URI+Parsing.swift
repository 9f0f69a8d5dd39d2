internal import Credentials
internal import WireFormat

extension PKCS11URI {
    /// Reads a URI.
    ///
    /// What would narrow the choice and is not supported is an error, because ignoring it could choose another key.
    ///
    /// - Complexity: O(*n*), with *n* at most ``SmartCardLimits/uriBytes``.
    public init(parsing text: some StringProtocol) throws(PKCS11URIError) {
        let bytes = Array(text.utf8.prefix(SmartCardLimits.uriBytes + 1))
        guard bytes.count <= SmartCardLimits.uriBytes else { throw .tooLong }
        let scheme = Array("pkcs11:".utf8)
        guard bytes.count >= scheme.count, zip(bytes, scheme).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 && $1 > 0x60 })
        else { throw .otherScheme }
        let question = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        self.init()
        var seen: Set<String> = []
        try Self.attributes(
            in: bytes[scheme.count..<question],
            separator: UInt8(ascii: ";"),
            reserved: Self.reserved + Array("&".utf8)
        ) { name, value throws(PKCS11URIError) in
            guard seen.insert(name).inserted else { throw .repeatedAttribute(name) }
            try self.setPathAttribute(name, value)
        }
        guard question < bytes.endIndex else { return }
        try Self.attributes(
            in: bytes[(question + 1)...],
            separator: UInt8(ascii: "&"),
            reserved: Self.reserved + Array("/?|".utf8)
        ) { name, value throws(PKCS11URIError) in
            guard seen.insert(name).inserted else { throw .repeatedAttribute(name) }
            try self.setQueryAttribute(name, value)
        }
    }

    /// The reserved characters that values may contain in both parts (RFC 7512 section 2.3).
    private static let reserved = Array(":[]@!$'()*+,=".utf8)

    private static func attributes(
        in bytes: ArraySlice<UInt8>,
        separator: UInt8,
        reserved: [UInt8],
        _ body: (String, [UInt8]) throws(PKCS11URIError) -> Void
    ) throws(PKCS11URIError) {
        guard !bytes.isEmpty else { return }
        for attribute in bytes.split(separator: separator, omittingEmptySubsequences: false) {
            guard let equals = attribute.firstIndex(of: UInt8(ascii: "=")), equals > attribute.startIndex else {
                throw .brokenAttribute(offset: attribute.startIndex)
            }
            let name = attribute[..<equals]
            if let wrong = name.firstIndex(where: { !isUnreserved($0) }) { throw .unexpectedByte(offset: wrong) }
            try body(String(decoding: name, as: UTF8.self), decode(attribute[(equals + 1)...], reserved))
        }
    }

    private static func decode(_ bytes: ArraySlice<UInt8>, _ reserved: [UInt8]) throws(PKCS11URIError) -> [UInt8] {
        var value: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard bytes.endIndex - index >= 3, let high = Hexadecimal.value(of: bytes[index + 1]),
                    let low = Hexadecimal.value(of: bytes[index + 2])
                else { throw .brokenPercent(offset: index) }
                value.append(high << 4 | low)
                index += 3
            } else {
                guard isUnreserved(byte) || reserved.contains(byte) else { throw .unexpectedByte(offset: index) }
                value.append(byte)
                index += 1
            }
        }
        return value
    }

    private mutating func setPathAttribute(_ name: String, _ value: [UInt8]) throws(PKCS11URIError) {
        switch name {
        case "token": token = try Self.text(name, value, limit: 32)
        case "manufacturer": manufacturer = try Self.text(name, value, limit: 32)
        case "model": model = try Self.text(name, value, limit: 16)
        case "serial": serial = try Self.text(name, value, limit: 16)
        case "object": object = try Self.text(name, value, limit: SmartCardLimits.nameBytes)
        case "id":
            guard !value.isEmpty else { throw .unusableValue(name) }
            guard value.count <= SmartCardLimits.nameBytes else {
                throw .valueTooLong(name, limit: SmartCardLimits.nameBytes)
            }
            id = value
        case "type":
            // A key is chosen with its certificate, so that both mean the same.
            guard [Array("private".utf8), Array("cert".utf8)].contains(value) else { throw .otherType }
        case "slot-id", "slot-description", "slot-manufacturer":
            throw .unsupportedAttribute(name, use: "token or serial")
        case "library-manufacturer", "library-description", "library-version":
            throw .unsupportedAttribute(name, use: "module-path")
        case "pin-value": throw .pinInside
        default: throw .unknownAttribute(name)
        }
    }

    private mutating func setQueryAttribute(_ name: String, _ value: [UInt8]) throws(PKCS11URIError) {
        switch name {
        case "module-path":
            let path = try Self.text(name, value, limit: SmartCardLimits.uriBytes)
            guard path.hasPrefix("/") else { throw .relativeModulePath }
            modulePath = path
        case "pin-source":
            var path = try Self.text(name, value, limit: SmartCardLimits.uriBytes)
            if path.lowercased().hasPrefix("file:") {
                path = String(path.dropFirst("file:".count))
                // RFC 8089: an authority that is empty or this machine.
                for authority in ["//localhost/", "///"] where path.hasPrefix(authority) {
                    path = "/" + path.dropFirst(authority.count)
                    break
                }
            }
            guard path.hasPrefix("/"), !path.hasPrefix("//") else { throw .otherPINSource }
            pinSource = .file(path: path)
        case "module-name": throw .unsupportedAttribute(name, use: "module-path")
        case "pin-value": throw .pinInside
        default: throw .unknownAttribute(name)
        }
    }

    private static func text(_ name: String, _ value: [UInt8], limit: Int) throws(PKCS11URIError) -> String {
        guard value.count <= limit else { throw .valueTooLong(name, limit: limit) }
        guard !value.isEmpty, !value.contains(0), let text = String(validating: value, as: UTF8.self) else {
            throw .unusableValue(name)
        }
        return text
    }
}
