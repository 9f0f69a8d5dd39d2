internal import NIOHTTP1

/// Reads the values of `--header`.
enum HeaderArguments {
    /// What the client sets itself.
    private static let framing = [
        "Connection", "Content-Length", "Expect", "Host", "TE", "Transfer-Encoding", "Upgrade",
    ]
    private static let secrets = ["Authorization", "Proxy-Authorization"]

    static func headers(_ lines: [String]) throws(RequestProblem) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (index, line) in lines.enumerated() {
            do throws(RequestProblem.HeaderProblem) {
                let (name, value) = try field(line)
                headers.add(name: name, value: value)
            } catch {
                throw .header(number: index + 1, error)
            }
        }
        return headers
    }

    private static func field(_ line: String) throws(RequestProblem.HeaderProblem) -> (name: String, value: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .noColon }
        let name = String(line[..<colon])
        guard !name.isEmpty, name.utf8.allSatisfy(isToken) else { throw .name }
        let isIn = { (names: [String]) in names.first { $0.lowercased() == name.lowercased() } }
        if let secret = isIn(secrets) { throw .secret(secret) }
        if let own = isIn(framing) { throw .framing(own) }
        let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        let rest = line.utf8[line.utf8.index(after: colon)...].drop { blanks.contains($0) }
        guard rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .value }
        return (name, String(Substring(rest)))
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
