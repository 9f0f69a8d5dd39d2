internal import Credentials
internal import NIOHTTP1
internal import Sallyport
internal import Secrets

/// Reads the values of `--header`.
enum HeaderArguments {
    /// What the client sets itself.
    private static let framing = [
        "Connection", "Content-Length", "Expect", "Host", "TE", "Transfer-Encoding", "Upgrade",
    ]
    /// What answers challenges, and is therefore the client's, too.
    static let answers = ["Authorization", "Proxy-Authorization"]
    /// What an argument would show to other processes.
    private static let secrets = answers + ["Cookie"] + TokenPlacement.knownFields

    /// The fields that are sent, and the names in lower case of those that are not sent, as curl reads them: `Name: value` is a
    /// field, `Name;` an empty one, and `Name:` takes away a field that would be sent by default. `@FILE` is a file with such a line,
    /// which belongs to the user alone, because the line may be a secret.
    static func headers(
        _ lines: [String]
    ) throws(RequestProblem) -> (sent: HTTPHeaders, withheld: Set<String>) {
        var headers = HTTPHeaders()
        var withheld: Set<String> = []
        for (index, line) in lines.enumerated() {
            do throws(RequestProblem.HeaderProblem) {
                let isFile = line.hasPrefix("@")
                let (name, value) = try field(
                    isFile ? Self.line(of: String(line.dropFirst())) : line,
                    isArgument: !isFile
                )
                if let value { headers.add(name: name, value: value) } else { withheld.insert(name.lowercased()) }
            } catch {
                throw .header(number: index + 1, error)
            }
        }
        return (headers, withheld)
    }

    /// - Returns: `nil` as the value of a field that is not sent.
    private static func field(
        _ line: String,
        isArgument: Bool
    ) throws(RequestProblem.HeaderProblem) -> (name: String, value: String?) {
        let isEmpty = line.utf8.last == UInt8(ascii: ";") && !line.utf8.contains(UInt8(ascii: ":"))
        let end = line.utf8.firstIndex { $0 == UInt8(ascii: ":") || isEmpty && $0 == UInt8(ascii: ";") }
        guard let end else { throw .noColon }
        let name = String(line[..<end])
        guard !name.isEmpty, name.utf8.allSatisfy(isToken) else { throw .name }
        let isIn = { (names: [String]) in names.first { $0.lowercased() == name.lowercased() } }
        let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let rest = line.utf8[line.utf8.index(after: end)...].drop { blanks.contains($0) }
        // Without a value there is nothing to hide.
        if isArgument, !rest.isEmpty, let secret = isIn(secrets) { throw .secret(secret) }
        if let answer = isIn(answers) { throw .answer(answer) }
        if let own = isIn(framing) { throw .framing(own) }
        if isEmpty { return (name, "") }
        guard rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .value }
        return (name, rest.isEmpty ? nil : String(Substring(rest)))
    }

    /// The only line of a file.
    private static func line(of path: String) throws(RequestProblem.HeaderProblem) -> String {
        let line: SharedSecret
        do throws(SecretReferenceError) {
            line = try SecretReference.file(path: path).load(strict: true)
        } catch {
            throw .file("\(error)")
        }
        var bytes = line.withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
        defer { erase(&bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .file("\(path): not UTF-8: convert it")
        }
        return text
    }

    /// RFC 9110 section 5.6.2.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
