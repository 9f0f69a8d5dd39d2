public import ClientAuthentication
internal import Credentials
public import Secrets
internal import Synchronization
internal import Waiting
internal import WireFormat

/// The accounts of a file, one a line.
///
/// What follows the name and a colon says which form a line has:
///
/// - `{PLAIN}PASSWORD` and `{NT}HASH`, as Dovecot's password files have them;
/// - a hash as Apache's `htpasswd` writes it, by bcrypt, apr1 or SHA-1, or one of the system's crypt, such as SHA-crypt and yescrypt;
/// - `REALM:H(A1)`, as Apache's `htdigest` writes it.
///
/// A name may have a domain and a backslash before it. Empty lines, and lines that begin with `#`, are skipped.
public final class AccountsFile: ClientDirectory {
    /// The most accounts of a file.
    static let mostAccounts = 100_000
    /// The most bytes of a file: 167 for each account.
    static let mostBytes = 1 << 24
    /// How long a right password is not hashed again.
    static let memory = Duration.seconds(300)
    /// How long a hash may take, waiting for a thread included.
    static let timeLimit = Duration.seconds(5)
    /// How many passwords are hashed at a time, and how many wait; more are refused at once.
    private static let (threads, mostWaiting) = (4, 256)

    fileprivate struct Content {
        var entries: [String: AccountEntry] = [:]
        /// The names as the file spells them.
        var names: [String: ClientName] = [:]
        var schemes = Set(ClientScheme.allCases)
        var realm: String?
        /// The hashes of the file, one of which an unknown account is compared with.
        var hashes: [PasswordHash] = []
    }

    private let file: String
    private let content: Mutex<Content>
    let accepted = AcceptedPasswords(for: memory)
    private let workers = WorkerThreads(threads: threads, waiting: mostWaiting)
    /// The schemes that all accounts of the file can use, strong ones first, as it was first read. A server offers them as long as it runs.
    public let schemes: [ClientScheme]
    /// The realm that the lines of htdigest are made of; `nil` without such lines. Offer Digest with this one.
    public let realm: String?

    /// Reads the file. Blocks the calling thread.
    public init(_ file: String) throws(AccountsFileError) {
        self.file = file
        let read = try Self.read(file)
        schemes = [.digestSHA256, .digestMD5, .ntlm, .basic].filter(read.schemes.contains)
        realm = read.realm
        content = Mutex(read)
    }

    /// Reads it again. If it cannot be read, or has accounts that cannot use ``schemes`` or have another ``realm``, the accounts stay. Blocks the
    /// calling thread.
    public func reload() throws(AccountsFileError) {
        var read = try Self.read(file)
        guard read.realm == nil || read.realm == realm else {
            throw problem("its lines of htdigest have another realm than at the start: start the program again")
        }
        guard read.schemes.isSuperset(of: schemes) else {
            throw problem(
                "it has accounts that cannot use the schemes that were offered at the start: start the program again"
            )
        }
        // The old accounts are freed after the lock.
        content.withLock { swap(&$0, &read) }
    }

    private func problem(_ text: String) -> AccountsFileError {
        AccountsFileError(file: file, line: nil, problem: text)
    }

    /// The name as the file spells it, because servers behind this one may tell upper and lower case apart.
    public func canonical(_ name: ClientName) -> ClientName { content.withLock { $0.names[name.account] } ?? name }

    /// The secret of an account; `nil` for an unknown one, and for one with a one-way hash.
    public func secret(of name: ClientName) async throws -> ClientSecret? {
        guard case .secret(let secret) = content.withLock({ $0.entries[name.account] }) else { return nil }
        return secret
    }

    /// Whether a password is that of the account. Hashes are computed on threads of their own.
    ///
    /// - Throws: an error that says what to do, if a hash was not computed in time.
    public func accepts(_ password: SharedSecret, of name: ClientName) async throws -> Bool {
        let entry = content.withLock { $0.entries[name.account] }
        switch entry {
        case .secret(let secret): if secret.accepts(password) { return true }
        case .hash(let hash): return try await hash.accepts(password, of: name, accepted, workers)
        case nil: break
        }
        // An unknown account, and one of another form, takes as long to refuse as one with a hash: the same one each time, because the time
        // would show another one.
        let standIn = content.withLock {
            $0.hashes.isEmpty ? nil : $0.hashes[abs(name.account.hashValue % $0.hashes.count)]
        }
        guard let standIn else {
            if entry == nil { _ = ClientSecret.standIn.accepts(password) }
            return false
        }
        do {
            _ = try await workers.run(within: Self.timeLimit) { try standIn.accepts(password) }
        } catch  where entry != nil {
            // It is wrong all the same: otherwise a guess at an account that is there would not be counted.
        }
        return false
    }

    // MARK: Reading

    private static func bytes(of file: String) throws(AccountsFileError) -> [UInt8] {
        do throws(PrivateFileProblem) {
            if let bytes = try PrivateFile.read(file, atMost: mostBytes) { return bytes }
        } catch {
            throw AccountsFileError(file: file, line: nil, problem: "\(error)")
        }
        throw AccountsFileError(file: file, line: nil, problem: "more than \(mostBytes) bytes: name the right file")
    }

    private static func read(_ file: String) throws(AccountsFileError) -> Content {
        func problem(_ text: String, line: Int? = nil) -> AccountsFileError {
            AccountsFileError(file: file, line: line, problem: text)
        }
        // The only reference, so that the bytes are erased and not a copy of them.
        var bytes = try bytes(of: file)
        defer { erase(&bytes) }
        if let form = ForeignFile(bytes.span) { throw problem("\(form)") }
        var content = Content()
        let text = bytes.dropFirst(ForeignFile.markLength(bytes.span))
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let (name, entry): (String, AccountEntry)
            do throws(AccountEntry.Problem) { (name, entry) = try AccountEntry.read(line) } catch {
                throw problem("\(error)", line: index + 1)
            }
            if let text = content.add(entry, ClientName(name)) { throw problem(text, line: index + 1) }
            guard content.entries.count <= mostAccounts else {
                throw problem("more than \(mostAccounts) accounts: use several files, each with a program of its own")
            }
        }
        guard !content.entries.isEmpty else { throw problem("it has no account: no client could log on") }
        return content
    }
}

extension PasswordHash {
    /// Whether the password of `name` has this hash, from memory or by computing it.
    fileprivate func accepts(
        _ password: SharedSecret,
        of name: ClientName,
        _ accepted: AcceptedPasswords,
        _ workers: WorkerThreads
    ) async throws -> Bool {
        // With the hash, so that a password is forgotten when its line changes, also while it is being hashed.
        let account = Array(name.account.utf8) + [0] + text
        if accepted.contains(password, of: account) { return true }
        let isRight = try await workers.run(within: AccountsFile.timeLimit) {
            // Another request may have had it computed meanwhile.
            try accepted.contains(password, of: account) || self.accepts(password)
        }
        // The thread does not remember it, because it also ends a hash for which no client waits. Such a guess is not counted, so a second request
        // must not learn from memory whether it was right.
        try Task.checkCancellation()
        if isRight { accepted.insert(password, of: account) }
        return isRight
    }
}

extension AccountsFile.Content {
    /// Takes an account; returns why not.
    fileprivate mutating func add(_ entry: AccountEntry, _ name: ClientName) -> String? {
        switch entry {
        case .secret(.digest(let secret)):
            guard ClientAuthenticationOptions.isRealm(secret.realm) else {
                return
                    "no client can be asked for this realm: it has 1 to 256 characters of ASCII, without quotes and backslashes"
            }
            guard realm == nil || realm == secret.realm else {
                return "another realm than that of the lines before: keep the lines of one realm"
            }
            realm = secret.realm
        case .hash(let hash):
            if case .system = hash, !SystemCrypt.isAvailable { return "\(SystemCryptError.missing)" }
            hashes.append(hash)
        case .secret: break
        }
        schemes.formIntersection(entry.schemes)
        guard entries.updateValue(entry, forKey: name.account) == nil else {
            return "the account is there twice: remove one"
        }
        names[name.account] = name
        return nil
    }
}

/// Why the accounts of a file cannot be used.
public struct AccountsFileError: Error, Equatable {
    /// The file.
    public let file: String
    /// The line, from 1; `nil` for the whole file.
    public let line: Int?
    /// What is wrong, and what to do.
    public let problem: String
}

extension AccountsFileError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { line.map { "\(file):\($0): \(problem)" } ?? "\(file): \(problem)" }
}
