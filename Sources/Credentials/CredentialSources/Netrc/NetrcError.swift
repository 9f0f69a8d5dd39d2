internal import Credentials
internal import WireFormat

/// Why a netrc file was not used. It holds no word of the file, because each may be a part of a password.
public struct NetrcError: Error, Equatable, Sendable {
    /// The path of the file.
    public let file: String
    /// The line, counted from 1; `nil` if the problem concerns the whole file.
    public let line: Int?
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(file: String, line: Int? = nil, problem: Problem) {
        self.file = file
        self.line = line
        self.problem = problem
    }

    /// The words that mean something.
    public enum Keyword: String, Hashable, Sendable, CaseIterable {
        /// Begins the entry of one host.
        case machine
        /// Begins the entry of all other hosts.
        case `default`
        /// The user name.
        case login
        /// The password.
        case password
        /// A second password, for FTP.
        case account
        /// Begins a macro, for FTP.
        case macdef
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// No file is at the path.
        case missing
        /// The group or others may use the file; `mode` is its permissions.
        case othersMayUse(mode: UInt16)
        /// The file belongs to root, and its group may write it, or others may use it; `mode` is its permissions.
        case othersMayUseRoots(mode: UInt16)
        /// The file belongs to another user.
        case notOwned
        /// The file has more than ``NetrcLimits/fileBytes``.
        case fileTooLong
        /// The system refused an operation; `code` is its error number.
        case system(operation: String, code: Int32)
        /// The file has more than ``NetrcLimits/entries``.
        case tooManyEntries
        /// A word has more than ``NetrcLimits/wordBytes``.
        case wordTooLong
        /// A word where a keyword is expected.
        case unknownWord
        /// A keyword without its value on the same line.
        case valueMissing(Keyword)
        /// A value that begins with a number sign and has no quotes: some programs read a comment, some a value.
        case numberSign
        /// A keyword before the first entry.
        case outsideEntry(Keyword)
        /// A keyword that the entry has already.
        case repeated(Keyword)
        /// The host and user of this entry have an entry already, in `line`.
        case repeatedEntry(line: Int)
        /// An entry after the default one, which begins in `line`.
        case afterDefault(line: Int)
        /// A host without a name.
        case emptyMachine
        /// A quoted value without its second quote in the same line.
        case openQuote
        /// A quoted value that is followed by a character other than a blank.
        case textAfterQuote
        /// A macro without an empty line at its end.
        case openMacro
        /// A control character other than a tab or the end of a line.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case notUTF8
        /// The file is not UTF-8. The associated text names its form and the remedy.
        case otherForm(String)
    }
}

extension NetrcError.Problem {
    init(_ problem: PrivateFileProblem) {
        self =
            switch problem {
            case .missing: .missing
            case .othersMayUse(let mode): .othersMayUse(mode: mode)
            case .othersMayUseRoots(let mode): .othersMayUseRoots(mode: mode)
            case .notOwned: .notOwned
            case .system(let operation, let code): .system(operation: operation, code: code)
            }
    }
}

extension NetrcError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(file):\(line.map { "\($0):" } ?? "") \(problem)" }
}

extension NetrcError.Problem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .missing: "the file does not exist: check the path"
        case .othersMayUse(let mode): "\(PrivateFileProblem.othersMayUse(mode: mode)), and renew its passwords"
        case .othersMayUseRoots(let mode): "\(PrivateFileProblem.othersMayUseRoots(mode: mode))"
        case .notOwned: "\(PrivateFileProblem.notOwned)"
        case .fileTooLong: "the file has more than \(NetrcLimits.fileBytes) bytes: check the path"
        case .system(let operation, let code): "cannot \(operation) (\(SystemReason.text(code))): check path and mode"
        case .tooManyEntries: "the file has more than \(NetrcLimits.entries) entries: remove some"
        case .wordTooLong: "a word has more than \(NetrcLimits.wordBytes) bytes: shorten it"
        case .unknownWord:
            "a word is not a keyword: use machine, default, login, password, account or macdef, and quote a value with blanks"
        case .valueMissing(let word): "\(word.rawValue) has no value: write it on the same line"
        case .numberSign: "a value begins with a number sign: quote it, because some programs read a comment"
        case .outsideEntry(let word): "\(word.rawValue) belongs to no entry: write machine or default before it"
        case .repeated(let word): "the entry has a second \(word.rawValue): remove one"
        case .repeatedEntry(let line): "the host and login of this entry are those of line \(line): remove one entry"
        case .afterDefault(let line): "an entry follows the default one of line \(line): move default to the end"
        case .emptyMachine: "the name of the machine is empty: write a host, or use default"
        case .openQuote: "a quoted value does not end on its line: add a quote, or write \\\" for one inside"
        case .textAfterQuote: "text follows a quote directly: add a blank, or write \\\" for a quote inside a value"
        case .openMacro: "the macro has no empty line at its end: add one"
        case .otherForm(let text): text
        case .controlCharacter: "the line holds a control character: remove it"
        case .notUTF8: "the line is not UTF-8: convert the file to UTF-8"
        }
    }
}
