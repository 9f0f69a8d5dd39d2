public import Secrets

extension GitCredentialMessage {
    /// The bytes of the message, with an empty line at the end.
    ///
    /// - Parameter place: the program that reads it, for errors.
    /// - Throws: ``GitCredentialError/Problem/lineBreak(_:)`` if a value would end its line.
    public func encoded(for place: String) throws(GitCredentialError) -> SecretBytes {
        typealias Field = GitCredentialError.Field
        let lines: [(field: Field, value: String?)] = [(.scheme, scheme), (.host, host), (.path, path), (.user, user)]
        let texts = lines.compactMap { line in line.value.map { (line.field, [UInt8]($0.utf8)) } }
        for (field, value) in texts where value.contains(where: Self.isForbidden) {
            throw GitCredentialError(place: place, problem: .lineBreak(field))
        }
        let secrets = [(Field.password, password), (.refreshToken, refreshToken)].compactMap { field, secret in
            secret.map { (field, $0) }
        }
        for (field, secret) in secrets
        where secret.withBytes({ bytes in bytes.indices.contains { Self.isForbidden(bytes[$0]) } }) {
            throw GitCredentialError(place: place, problem: .lineBreak(field))
        }

        var bytes: [UInt8] = []
        // All at once, so that no copy of a secret stays behind when the array grows.
        bytes.reserveCapacity(texts.reduce(256) { $0 + $1.1.count + 16 } + secrets.reduce(0) { $0 + $1.1.count + 32 })
        for (field, value) in texts { bytes += "\(field.rawValue)=".utf8 + value + "\n".utf8 }
        for (field, secret) in secrets {
            bytes += "\(field.rawValue)=".utf8
            secret.withBytes { secret in for index in secret.indices { bytes.append(secret[index]) } }
            bytes += "\n".utf8
        }
        if let expires { bytes += "password_expiry_utc=\(expires)\n".utf8 }
        if quits { bytes += "quit=1\n".utf8 }
        bytes += "\n".utf8
        guard bytes.count <= GitCredentialLimits.messageBytes else {
            erase(&bytes)
            throw GitCredentialError(place: place, problem: .tooLong)
        }
        return SecretBytes(consuming: &bytes)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Reads a message. Keys that are missing leave empty texts and `nil`.
    ///
    /// - Parameters:
    ///   - bytes: the whole message.
    ///   - place: the program that wrote it, for errors.
    public init(parsing bytes: Span<UInt8>, from place: String) throws(GitCredentialError) {
        self.init(scheme: "", host: "")
        do throws(GitCredentialError.Problem) {
            guard bytes.count <= GitCredentialLimits.messageBytes else { throw .tooLong }
            var seen: Set<String> = []
            var (start, number) = (0, 1)
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
                guard start < end else { return }
                try parseLine(bytes.extracting(start..<end), number, &seen)
                start = end + 1
                number += 1
            }
        } catch {
            throw GitCredentialError(place: place, problem: error)
        }
    }

    private static let keys: Set = [
        "protocol", "host", "path", "username", "password", "password_expiry_utc", "oauth_refresh_token", "quit",
    ]

    private mutating func parseLine(
        _ line: Span<UInt8>,
        _ number: Int,
        _ seen: inout Set<String>
    ) throws(GitCredentialError.Problem) {
        guard let equals = line.indices.first(where: { line[$0] == UInt8(ascii: "=") }) else {
            throw .malformedLine(number)
        }
        let value = line.extracting((equals + 1)...)
        func text(_ bytes: Span<UInt8>) -> String { String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        let key = text(line.extracting(..<equals))
        // A line that is passed over may hold any bytes: Git hands on the fields of a server in `wwwauth[]` as they came.
        guard Self.keys.contains(key) else { return }
        guard !value.indices.contains(where: { Self.isForbidden(value[$0]) }) else {
            throw .controlCharacter(line: number)
        }
        guard UTF8Check.isValid(value) else { throw .notUTF8(line: number) }
        guard seen.insert(key).inserted else { throw .repeatedKey(line: number) }
        switch key {
        case "protocol": scheme = text(value)
        case "host": host = text(value)
        case "path": path = text(value)
        case "username": user = text(value)
        case "password": password = SharedSecret(SecretBytes(copying: value))
        case "password_expiry_utc":
            guard let time = Int64(text(value)) else { throw .malformedTime(line: number) }
            // Git takes 0 for no time.
            expires = time == 0 ? nil : time
        case "oauth_refresh_token": refreshToken = SharedSecret(SecretBytes(copying: value))
        default: quits = ["1", "true", "yes", "on"].contains(text(value).lowercased())
        }
    }
}
