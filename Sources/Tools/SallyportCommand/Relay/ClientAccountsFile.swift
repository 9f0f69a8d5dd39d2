internal import ClientAuthentication
internal import Credentials
internal import NTLM
internal import OfflineVerbs
internal import Secrets
internal import Synchronization
internal import WireFormat

/// The accounts of a relay's clients, from a file that a reload reads again.
///
/// One account a line, as Dovecot's password files have it: `NAME:{PLAIN}PASSWORD` or `NAME:{NT}HASH` with 32 hexadecimal digits. NAME may
/// have a domain and a backslash before it. Empty lines, and lines that begin with `#`, are skipped.
final class ClientAccountsFile: ClientDirectory {
    /// The most accounts of a file.
    static let mostAccounts = 100_000
    /// The most bytes of a file: 167 for each account.
    static let mostBytes = 1 << 24

    private struct Content {
        let directory: FixedDirectory
        let hasHashes: Bool
    }

    private let file: String
    private let content: Mutex<Content>

    /// Reads the file. Blocks the calling thread.
    init(_ file: String) throws(RelayProblem) {
        self.file = file
        content = Mutex(try Self.read(file))
    }

    /// Reads it again. If it cannot be read, the accounts stay. Blocks the calling thread.
    func reload() throws(RelayProblem) {
        let read = try Self.read(file)
        content.withLock { $0 = read }
    }

    /// The schemes that all accounts of the file can use: Digest needs passwords.
    var schemes: [ClientScheme] {
        content.withLock(\.hasHashes) ? [.ntlm, .basic] : [.digestSHA256, .digestMD5, .ntlm, .basic]
    }

    func secret(of name: ClientName) async throws -> ClientSecret? {
        let directory = content.withLock(\.directory)
        return await directory.secret(of: name)
    }

    // MARK: Reading

    private static func read(_ file: String) throws(RelayProblem) -> Content {
        func problem(_ text: String) -> RelayProblem { .clientAccounts("\(file): \(text)") }
        let read: [UInt8]?
        do throws(PrivateFileProblem) {
            read = try PrivateFile.read(file, atMost: mostBytes)
        } catch {
            throw problem("\(error)")
        }
        guard var bytes = read else { throw problem("more than \(mostBytes) bytes: name the right file") }
        defer { erase(&bytes) }
        if let form = ForeignFile(bytes.span) { throw problem("\(form)") }
        var accounts: [ClientName: ClientSecret] = [:]
        var hasHashes = false
        let text = bytes.dropFirst(ForeignFile.markLength(bytes.span))
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            guard let account = account(line) else {
                throw .clientAccounts(
                    "\(file):\(index + 1): this is no account: write NAME:{PLAIN}PASSWORD, or NAME:{NT}HASH with 32 hexadecimal digits"
                )
            }
            if case .ntHash = account.secret { hasHashes = true }
            guard accounts.updateValue(account.secret, forKey: account.name) == nil else {
                throw .clientAccounts("\(file):\(index + 1): the account is there twice: remove one")
            }
            guard accounts.count <= mostAccounts else {
                throw problem("more than \(mostAccounts) accounts: use several relays")
            }
        }
        guard !accounts.isEmpty else { throw problem("it has no account: no client could log on") }
        return Content(directory: FixedDirectory(accounts), hasHashes: hasHashes)
    }

    private static func account(_ line: ArraySlice<UInt8>) -> (name: ClientName, secret: ClientSecret)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            let name = String(validating: line[..<colon], as: UTF8.self)
        else { return nil }
        let value = line[(colon + 1)...]
        if value.starts(with: "{PLAIN}".utf8) {
            var password = Array(value.dropFirst(7))
            guard !password.isEmpty, String(validating: password, as: UTF8.self) != nil else {
                erase(&password)
                return nil
            }
            return (ClientName(name), .password(SharedSecret(SecretBytes(consuming: &password))))
        }
        guard value.starts(with: "{NT}".utf8) else { return nil }
        var digits = Array(value.dropFirst(4))
        defer { erase(&digits) }
        guard var bytes = HashDigits.bytes(digits.span) else { return nil }
        defer { erase(&bytes) }
        guard let hash = try? NTHash(hash: bytes.span) else { return nil }
        return (ClientName(name), .ntHash(hash))
    }
}
