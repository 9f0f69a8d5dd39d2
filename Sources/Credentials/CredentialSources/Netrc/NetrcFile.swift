internal import Credentials
public import Hostnames
public import Secrets
internal import WireFormat

/// The entries of a netrc file.
///
/// A file names the user and password of hosts for programs that log on by themselves. The page ``CredentialSources`` says where
/// this parser differs from curl's.
///
/// ```
/// machine wiki.example login jdoe password "two words"   # a comment
/// default login guest password guest
/// ```
public struct NetrcFile: Sendable {
    /// One entry.
    public struct Entry: Sendable {
        /// The host as it is written; `nil` for the default entry.
        public let machine: String?
        /// The host; `nil` for the default entry, and for a name that is not one of a host.
        public let host: Hostname?
        /// The user name; `nil` if the entry has none.
        public let login: String?
        /// The password; `nil` if the entry has none.
        public let password: SharedSecret?
        /// The line with which the entry begins, counted from 1.
        public let line: Int
    }

    /// The entries in the order of the file.
    public let entries: [Entry]

    /// Parses the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - file: its path, for errors.
    /// - Complexity: O(*n*).
    public init(parsing bytes: Span<UInt8>, file: String) throws(NetrcError) {
        guard bytes.count <= NetrcLimits.fileBytes else { throw NetrcError(file: file, problem: .fileTooLong) }
        if let form = ForeignFile(bytes) { throw NetrcError(file: file, problem: .otherForm("\(form)")) }
        do throws(NetrcWords.Failure) {
            try Self.checkText(bytes)
            entries = try Self.entries(in: bytes)
        } catch {
            throw NetrcError(file: file, line: error.line, problem: error.problem)
        }
    }

    /// Reads the file at `path`, which only its owner may read, and which this user must own.
    ///
    /// A pipe, such as the shell makes for `<(…)`, is read to its end, for at most 30 seconds.
    ///
    /// - Complexity: waits for the file system.
    public init(readingFileAt path: String) throws(NetrcError) {
        var wasPipe = false
        try self.init(reading: path, &wasPipe)
    }

    /// The same; says whether it was a pipe, which can be read only once.
    init(reading path: String, _ isPipe: inout Bool) throws(NetrcError) {
        let read: [UInt8]?
        do throws(PrivateFileProblem) {
            let file = try PrivateFile(path, orPipe: true)
            isPipe = file.isPipe
            read = try file.read(atMost: NetrcLimits.fileBytes)
        } catch {
            throw NetrcError(file: path, problem: .init(error))
        }
        guard var bytes = read else { throw NetrcError(file: path, problem: .fileTooLong) }
        defer { erase(&bytes) }
        try self.init(parsing: bytes.span, file: path)
    }

    /// The entry with a password for a host and a user: of the host's entries the first one that fits, or the default one.
    ///
    /// - Parameters:
    ///   - host: the host that asks.
    ///   - user: `nil` for any. An entry without a login fits every known user, and no unknown one.
    public func entry(for host: Hostname, user: String? = nil) -> Entry? {
        func fits(_ entry: Entry) -> Bool {
            guard entry.password != nil else { return false }
            guard let user else { return entry.login != nil }
            return entry.login.map { $0.utf8.elementsEqual(user.utf8) } ?? true
        }
        return entries.first { $0.host == host && fits($0) } ?? entries.first { $0.machine == nil && fits($0) }
    }
}

extension NetrcFile {
    /// An entry that is being read.
    private struct Draft {
        var machine: String?
        var line: Int
        var login: String?
        var password: SharedSecret?
        var seen: Set<NetrcError.Keyword> = []

        var entry: Entry {
            let host = machine.flatMap { try? Hostname(parsing: $0) }
            return Entry(machine: machine, host: host, login: login, password: password, line: line)
        }
    }

    private static func entries(in bytes: Span<UInt8>) throws(NetrcWords.Failure) -> [Entry] {
        var words = NetrcWords()
        var entries: [Entry] = []
        var known: [EntryName: Int] = [:]
        var draft: Draft?
        func finish() throws(NetrcWords.Failure) {
            guard let done = draft?.entry else { return }
            let name = EntryName(machine: done.host?.description ?? done.machine, login: done.login)
            if let line = known.updateValue(done.line, forKey: name) {
                throw .init(line: done.line, problem: .repeatedEntry(line: line))
            }
            entries.append(done)
        }
        while let word = try words.next(in: bytes) {
            guard let keyword = word.keyword(in: bytes) else { throw .init(line: word.line, problem: .unknownWord) }
            switch keyword {
            case .machine, .default:
                try finish()
                if let last = entries.last, last.machine == nil {
                    throw .init(line: word.line, problem: .afterDefault(line: last.line))
                }
                guard entries.count < NetrcLimits.entries else {
                    throw .init(line: word.line, problem: .tooManyEntries)
                }
                var machine: String?
                if keyword == .machine {
                    guard let name = try words.next(in: bytes, for: keyword) else { break }
                    guard !name.range.isEmpty else { throw .init(line: name.line, problem: .emptyMachine) }
                    machine = name.text(in: bytes)
                }
                draft = Draft(machine: machine, line: word.line)
            case .macdef:
                // The name is not kept, and the macro belongs to the entry before it.
                _ = try words.next(in: bytes, for: keyword)
                try words.skipMacro(in: bytes)
            case .login, .password, .account:
                guard draft != nil else { throw .init(line: word.line, problem: .outsideEntry(keyword)) }
                guard draft?.seen.insert(keyword).inserted == true else {
                    throw .init(line: word.line, problem: .repeated(keyword))
                }
                guard let value = try words.next(in: bytes, for: keyword) else { break }
                if keyword == .login { draft?.login = value.text(in: bytes) }
                if keyword == .password {
                    var password = value.value(in: bytes)
                    draft?.password = SharedSecret(SecretBytes(consuming: &password))
                }
            }
        }
        try finish()
        return entries
    }

    /// What tells entries apart: host and login, byte by byte.
    private struct EntryName: Hashable {
        let machine: [UInt8]?
        let login: [UInt8]?

        init(machine: String?, login: String?) {
            self.machine = machine.map { Array($0.utf8) }
            self.login = login.map { Array($0.utf8) }
        }
    }

    /// Refuses control characters and bytes that are not UTF-8.
    private static func checkText(_ bytes: Span<UInt8>) throws(NetrcWords.Failure) {
        var line = 1
        var offset = 0
        while offset < bytes.count {
            let length = UTF8Check.characterLength(in: bytes, at: offset)
            guard length > 0 else { throw .init(line: line, problem: .notUTF8) }
            switch bytes[offset] {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: "\t"): break
            // Before the end of a line, as Windows writes it, and nowhere else.
            case UInt8(ascii: "\r") where offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n"): break
            case 0..<0x20, 0x7F: throw .init(line: line, problem: .controlCharacter)
            default: break
            }
            offset += length
        }
    }
}
