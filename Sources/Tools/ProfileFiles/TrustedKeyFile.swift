public import ChallengeHandling
internal import Credentials
internal import Hostnames
internal import SPKIPins
internal import WireFormat

/// A file that remembers the keys of servers that a person has decided to trust, in the form of a profile's `trustedKeys`.
///
/// Only the user of this process may own, read and write it, because a line in it makes an unproven server count as proven.
public struct TrustedKeyFile: Sendable {
    /// The most keys in the file; beyond it those that end first are forgotten.
    public static let mostKeys = 1_024

    /// Where it is.
    public let path: String

    /// Names a file, which may not exist yet.
    public init(path: String) { self.path = path }

    /// The keys that are trusted at `now`, in Unix seconds; none if the file does not exist.
    ///
    /// - Throws: ``ProfileFileError``, also if other users may read or write the file.
    public func read(at now: Int64) throws(ProfileFileError) -> [TrustedKey] {
        let yaml = YAMLFile(path: path)
        let bytes: [UInt8]?
        do throws(PrivateFileProblem) {
            bytes = try PrivateFile.read(path, atMost: ProfileReader.maximumBytes)
        } catch {
            switch error {
            case .missing: return []
            case .othersMayUse, .othersMayUseRoots:
                throw yaml.failure(nil, "other users may read or write it: check its lines, and then chmod 600 it")
            case .notOwned: throw yaml.failure(nil, "it belongs to another user: move it away")
            case .system(let operation, let code):
                throw yaml.failure(nil, "cannot \(operation) (\(SystemReason.text(code))): check it, or move it away")
            }
        }
        guard let bytes else {
            throw yaml.failure(nil, "larger than \(ProfileReader.maximumBytes) bytes: remove it")
        }
        let root = try yaml.root(bytes, ifEmpty: "is empty: remove it")
        let fields = try root.mapping(known: ["trustedKeys"])
        var keys: [TrustedKey] = []
        for node in try fields.required("trustedKeys", in: root).sequence() {
            let key = try TrustedKeyReader.key(node)
            if now < key.until { keys.append(key) }
        }
        return keys
    }

    /// Adds a key, and leaves out those whose time is over. Of two processes that add at the same moment, the later one wins: the other key
    /// is asked about again.
    ///
    /// - Throws: ``ProfileFileError``.
    public func add(_ key: TrustedKey, at now: Int64) throws(ProfileFileError) {
        var keys = try read(at: now).filter { ($0.host, $0.pin) != (key.host, key.pin) } + [key]
        keys.sort { $0.until < $1.until }
        let bytes = [UInt8](Self.text(of: keys.suffix(Self.mostKeys)).utf8)
        do throws(FileWriteError) {
            try FileReplacement.write(bytes.span, to: path, permissions: 0o600)
        } catch {
            let reason = SystemReason.text(error.errno)
            throw YAMLFile(path: path).failure(nil, "cannot write the file (\(reason)): check the folder")
        }
    }

    private static func text(of keys: some Sequence<TrustedKey>) -> String {
        "# Keys of servers that a person has trusted with --ask-trust. A key whose line is removed is asked about again.\ntrustedKeys:\n"
            + keys.map { key in
                "  - { host: \"\(key.host)\", sha256: \"\("\(key.pin)".dropFirst("sha256/".count))\", until: "
                    + "\(Timestamp.text(unixSeconds: key.until)) }\n"
            }.joined()
    }
}
