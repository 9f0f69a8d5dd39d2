internal import Secrets
internal import WireFormat

/// The secret of an item, which holds what the attributes of a record cannot.
///
/// A password stands there as it is, so that other programs of the desktop can use it. Where it has a date of its own, or bytes that are no
/// text, the secret is:
///
/// ```
/// sallyport:1:STORED:EXPIRES:HEX    STORED in decimal seconds since 1970, EXPIRES the same or nothing, the secret in hexadecimal
/// ```
enum KeyringValue {
    /// What such a secret begins with.
    private static let mark = Array("sallyport:1:".utf8)
    /// A record that was made just now needs no date, because the keyring has one.
    private static let now: ClosedRange<Int64> = -2...2

    /// The secret of the item of a record.
    static func encode(_ credential: StoredCredential, now: Int64) -> SharedSecret {
        let secret = credential.secret
        let isPlain =
            credential.expires == nil && Self.now.contains(credential.created.subtractingReportingOverflow(now).0)
            && secret.withBytes { isText($0) && !begins($0, with: mark) }
        guard !isPlain else { return secret }
        let head = "\(credential.created):\(credential.expires.map(String.init) ?? ""):"
        var bytes = mark + head.utf8
        // Room for all of it, so that growing leaves no copy of the secret.
        bytes.reserveCapacity(bytes.count + 2 * secret.count)
        secret.withBytes { Hexadecimal.append($0, to: &bytes) }
        return SharedSecret(SecretBytes(consuming: &bytes))
    }

    /// The record of an item; `nil` if the secret has another form.
    ///
    /// - Parameter written: when the keyring has written it.
    static func decode(_ bytes: Span<UInt8>, of name: CredentialName, written: Int64) -> StoredCredential? {
        guard begins(bytes, with: mark) else {
            guard !bytes.isEmpty else { return nil }
            return record(name, SecretBytes(copying: bytes), written, nil)
        }
        var place = mark.count
        /// The digits up to the next colon: `nil` without one.
        func nextNumber() -> Int64?? {
            var digits = ""
            while place < bytes.count, bytes[place] != UInt8(ascii: ":") {
                digits.unicodeScalars.append(Unicode.Scalar(bytes[place]))
                place += 1
                guard digits.utf8.count <= 20 else { return nil }
            }
            guard place < bytes.count else { return nil }
            place += 1
            if digits.isEmpty { return .some(nil) }
            return Int64(digits).map(Optional.some)
        }
        guard case let created?? = nextNumber(), let expires = nextNumber() else { return nil }
        let count = bytes.count - place
        guard count > 0, count.isMultiple(of: 2) else { return nil }
        var secret: [UInt8] = []
        secret.reserveCapacity(count / 2)
        for index in stride(from: place, to: bytes.count, by: 2) {
            guard let high = Hexadecimal.value(of: bytes[index]), let low = Hexadecimal.value(of: bytes[index + 1])
            else {
                erase(&secret)
                return nil
            }
            secret.append(high << 4 | low)
        }
        return record(name, SecretBytes(consuming: &secret), created, expires)
    }

    private static func record(
        _ name: CredentialName,
        _ secret: consuming SecretBytes,
        _ created: Int64,
        _ expires: Int64?
    ) -> StoredCredential? {
        let record = StoredCredential(name: name, secret: SharedSecret(secret), created: created, expires: expires)
        return record.problem == nil ? record : nil
    }

    private static func begins(_ bytes: Span<UInt8>, with start: [UInt8]) -> Bool {
        bytes.count >= start.count && start.indices.allSatisfy { bytes[$0] == start[$0] }
    }

    /// Whether the bytes are UTF-8 without a zero. The copy in a text would not be erased, so they are looked at one by one.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var decoder = UTF8()
            var rest = unsafe buffer.makeIterator()
            while true {
                switch unsafe decoder.decode(&rest) {
                case .scalarValue(let scalar): if scalar.value == 0 { return false }
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }
}
