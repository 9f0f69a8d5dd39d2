internal import Credentials
internal import Foundation
internal import WireFormat

/// The options of a command in a YAML file. The name of a field is the long name of an option.
public struct OptionFile {
    /// What an option takes.
    public enum Kind: Sendable {
        /// `true` or `false`.
        case flag
        /// One text.
        case text
        /// One path, which starts from the file's folder if it is relative. A text with `://` is a URL and is not changed, and neither
        /// is the URI of a smart card.
        case path
    }

    /// An option that a file may give.
    public struct Option: Sendable {
        /// The long name, without its dashes.
        public let name: String
        /// What it takes.
        public let kind: Kind
        /// Whether it takes a list as well.
        public let isRepeating: Bool

        /// An option of this name.
        public init(name: String, kind: Kind, isRepeating: Bool) {
            self.name = name
            self.kind = kind
            self.isRepeating = isRepeating
        }
    }

    /// Who owns the file, and whether it may be missing. A file that every user of the machine may write is always refused.
    public enum Place: Sendable {
        /// The user's file: this user owns it, and it may be missing.
        case user
        /// The system's file, which may be missing.
        case system
        /// A file that a person named, so it exists.
        case named
    }

    /// The values by option. A flag that is on has one empty text, and a flag that is off has none.
    public let values: [String: [String]]

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - path: the file. A relative path starts from the current folder.
    ///   - options: the options that the file may give.
    ///   - place: who owns the file, and whether it may be missing.
    /// - Returns: `nil` if the file is missing and `place` allows that.
    /// - Throws: ``ProfileFileError`` for an unknown field, a field that occurs twice, a value of another kind, a secret, and a file that
    ///   another user may have written.
    public static func read(
        _ path: String,
        options: [Option],
        place: Place
    ) throws(ProfileFileError) -> OptionFile? {
        let yaml = YAMLFile(path: path)
        let bytes: [UInt8]
        do throws(PrivateFileProblem) {
            let file = try PrivateFile(path, .notWritableByAll(onlyOwn: place == .user))
            // The reader of YAML says that such a file is too large.
            guard file.size <= ProfileReader.maximumBytes else {
                throw PrivateFileProblem.system(operation: "read the file", code: EFBIG)
            }
            bytes = try file.read()
        } catch {
            switch error {
            case .missing, .system(operation: _, code: ENOTDIR):
                guard place == .named else { return nil }
                throw yaml.failure(nil, "the file does not exist: check the path of --config")
            case .othersMayUse, .othersMayUseRoots:
                throw yaml.failure(nil, "every user of this machine may write it: take that away with chmod o-w")
            case .notOwned:
                throw yaml.failure(nil, "it belongs to another user: make a file of your own, or name it with --config")
            case .system(let operation, let code):
                throw yaml.failure(
                    nil,
                    "cannot \(operation) (\(SystemReason.text(code))): check it, or use --no-config"
                )
            }
        }
        let root = try yaml.root(bytes, ifEmpty: "is empty: write an option, such as 'parent: proxy.example:8080'")
        return OptionFile(values: try values(root, options, folder(of: path)))
    }

    private static func values(
        _ root: ProfileNode,
        _ options: [Option],
        _ folder: String
    ) throws(ProfileFileError) -> [String: [String]] {
        for (name, line, value) in root.fields ?? []
        where isSecret(name) && !options.contains(where: { $0.name == name }) {
            let problem =
                "a secret does not stand in this file: remove it, and keep it with sallyport credentials add --proxy"
            throw ProfileFileError(path: value.path, line: line, field: value.field, problem: problem)
        }
        let fields = try root.mapping(known: options.map(\.name))
        var values: [String: [String]] = [:]
        for option in options {
            guard let node = fields[option.name] else { continue }
            switch option.kind {
            case .flag: values[option.name] = try node.boolean() ? [""] : []
            case .text: values[option.name] = try texts(node, option).map(\.text)
            case .path:
                var paths: [String] = []
                for (text, element) in try texts(node, option) { paths.append(try absolute(text, folder, element)) }
                values[option.name] = paths
            }
        }
        return values
    }

    private static func texts(
        _ node: ProfileNode,
        _ option: Option
    ) throws(ProfileFileError) -> [(text: String, node: ProfileNode)] {
        guard option.isRepeating || !node.isSequence else { throw node.error("expected one text, and this is a list") }
        var texts: [(text: String, node: ProfileNode)] = []
        for element in node.isSequence ? try node.sequence() : [node] {
            let text = try element.text()
            guard !holdsLogin(text) else {
                throw element.error(
                    "a name and password before '@' do not stand in this file: remove them, and keep the password with "
                        + "sallyport credentials add --proxy"
                )
            }
            texts.append((text, element))
        }
        return texts
    }

    private static func absolute(
        _ path: String,
        _ folder: String,
        _ node: ProfileNode
    ) throws(ProfileFileError) -> String {
        guard !path.hasPrefix("~") else {
            throw node.error("'~' has no meaning here: write the whole path, or one that starts from the file's folder")
        }
        let isURI = path.contains("://") || namesCard(path)
        return path.hasPrefix("/") || isURI ? path : folder + path
    }

    /// Whether a text is the URI of a smart card (RFC 7512), and not a path.
    public static func namesCard(_ text: String) -> Bool { text.lowercased().hasPrefix("pkcs11:") }

    /// The folder of a path, with a slash at its end; empty for the current folder.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// Whether a field of this name would hold a secret.
    private static func isSecret(_ name: String) -> Bool {
        ["password", "passphrase", "secret", "token"].contains { name.lowercased().contains($0) }
    }

    /// Whether `text` is a URL, or an address without a scheme, that begins with `NAME:PASSWORD@`.
    private static func holdsLogin(_ text: String) -> Bool {
        let scheme = text.range(of: "://", options: .backwards)
        // Without a scheme, an option such as ACCOUNT=client:NAME@REALM has an '@' of another meaning.
        guard scheme != nil || !text.contains("=") else { return false }
        let authority = text[(scheme?.upperBound ?? text.startIndex)...].prefix { !"/?#".contains($0) }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}
