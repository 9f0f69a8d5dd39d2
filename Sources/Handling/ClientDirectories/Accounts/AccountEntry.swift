internal import ClientAuthentication
internal import NTLM
internal import Secrets
internal import WireFormat

/// What a line of a file of accounts says of its account.
enum AccountEntry: Sendable {
    case secret(ClientSecret)
    /// One-way, so that it answers Basic alone.
    case hash(PasswordHash)

    /// Why a line cannot be read. A case never holds text of the line, which may be a password.
    enum Problem: Error {
        case noName
        case emptyPassword
        case notUTF8
        case unknownForm
        case weakForm
    }

    /// Reads a line. What follows the name says by itself which form it has.
    static func read(_ line: ArraySlice<UInt8>) throws(Problem) -> (name: String, entry: AccountEntry) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            let name = String(validating: line[..<colon], as: UTF8.self)
        else { throw .noName }
        return (name, try read(line[(colon + 1)...], of: name))
    }

    private static func read(_ value: ArraySlice<UInt8>, of name: String) throws(Problem) -> AccountEntry {
        if value.starts(with: "{PLAIN}".utf8) { return .secret(.password(try password(value.dropFirst(7)))) }
        if value.starts(with: "{NT}".utf8) {
            guard let hash = ntHash(value.dropFirst(4)) else { throw .unknownForm }
            return .secret(.ntHash(hash))
        }
        if let hash = PasswordHash(value) { return .hash(hash) }
        if let secret = digestSecret(value, of: name) { return .secret(.digest(secret)) }
        // DES, whose 13 characters show what it is, counts eight characters of a password.
        throw value.count == 13 ? .weakForm : .unknownForm
    }

    /// What htdigest writes after the name and its colon: the realm, a colon, and the digits.
    private static func digestSecret(_ value: ArraySlice<UInt8>, of name: String) -> DigestSecret? {
        guard let colon = value.lastIndex(of: UInt8(ascii: ":")),
            let realm = String(validating: value[..<colon], as: UTF8.self)
        else { return nil }
        var digits = Array(value[(colon + 1)...])
        defer { erase(&digits) }
        return DigestSecret(user: name, realm: realm, digits: digits.span)
    }

    private static func password(_ text: ArraySlice<UInt8>) throws(Problem) -> SharedSecret {
        var password = Array(text)
        defer { erase(&password) }
        guard !password.isEmpty else { throw .emptyPassword }
        guard String(validating: password, as: UTF8.self) != nil else { throw .notUTF8 }
        return SharedSecret(SecretBytes(copying: password.span))
    }

    private static func ntHash(_ digits: ArraySlice<UInt8>) -> NTHash? {
        guard var bytes = HashDigits.bytes(digits.span) else { return nil }
        defer { erase(&bytes) }
        return try? NTHash(hash: bytes.span)
    }

    /// The schemes that the account can use.
    var schemes: Set<ClientScheme> {
        switch self {
        case .secret(.password): [.digestSHA256, .digestMD5, .ntlm, .basic]
        case .secret(.ntHash): [.ntlm, .basic]
        case .secret(.digest): [.digestMD5, .basic]
        case .hash: [.basic]
        }
    }
}

extension AccountEntry.Problem: CustomStringConvertible {
    /// What is wrong, and what to write.
    var description: String {
        switch self {
        case .noName:
            "this is no account: write NAME:{PLAIN}PASSWORD or NAME:{NT}HASH, or a line as htpasswd or htdigest writes it"
        case .emptyPassword: "the password is empty: write one, or remove the line"
        case .notUTF8: "the password is not UTF-8: save the file as UTF-8"
        case .unknownForm:
            "unknown form: write {PLAIN} before a password, {NT} before 32 hexadecimal digits, or what htpasswd -B or htdigest writes"
        case .weakForm: "crypt's DES form counts eight characters of a password: write it again, with htpasswd -B"
        }
    }
}
