import Foundation
import InsecureDigests
import NTLM
import Secrets
import TestLimits
import Testing

/// No secret is compared byte by byte with an early exit.
///
/// Two checks: the types that hold secrets have no `==`, so their values cannot be compared by mistake. In every file
/// that reads their bytes, each comparison is of a count, of an error number or with
/// `nil`, or is in a list here.
@Suite(.inTurn) struct SecretComparisonTests {
    // Noncopyable ones (SecretBytes, NTOWFv2, HMACMD5.Key, SessionSecurity) cannot be Equatable to begin with.
    private static let secretTypes: [any Sendable.Type] = [
        SharedSecret.self, NTHash.self, Digest16.self, ClientNonces.self, SessionKeys.self, NTLMAccount.self, MD4.self,
        MD5.self, HMACMD5.self, ClientHandshake.self, ServerHandshake.self,
    ]

    /// Comparisons of public values, each with its reason.
    private static let harmless: [String: String] = [
        "let isNonce = lm.count == 24 && (8..<24).allSatisfy { lm[$0] == 0 }": "a response off the wire, for its kind",
        "if target.utf8.elementsEqual(requested.utf8) { return true }": "the targets of a request and its answer",
        "return rest[path...].utf8.elementsEqual(target.utf8)": "the targets of a request and its answer",
        "guard found.indices.contains(where: { found[$0] != 0 }) else {": "bindings off the wire: are there any?",
        "littleEndianUInt16(in: message, at: start + Digest16.count) == Self.version,": "the version of a response",
        "guard verdicts == (true, true) else { throw .rejected }": "verdicts, after everything was computed",
        "return (verdicts == (true, true), again.finalize())": "verdicts, after everything was computed",
        "case .digest(let known) where hash == .md5 && known.user == name && known.realm == realm:":
            "the algorithm, the name and the realm",
        "guard sallyport_child_is_ours(process) != 0 else { return }": "whether a process is a child of this one",
        "guard verdicts == (true, true, true) else { return .failure(.rejected) }": "the same in a batch",
        "proofs.digests[$0].low == proof.low && proofs.digests[$0].high == proof.high && !proofs.refused.contains($0)":
            "a proof that was sent over the network, and candidates of the caller",
        "assert(writer.count - start == byteCount)": "a count",
        "precondition(offset == memory.count)": "a count",
        "precondition(lane >= 0 && lane < DigestTile.capacity && (index == 0 || index == 1))": "a position",
        "while marks != 0 {": "a mark for each lane",
        "let isASCII = (low | high) & 0x8080_8080_8080_8080 == 0": "one bit of every character: whether all are ASCII",
        "for lane in 0..<lanes where marks >> UInt64(lane) & 1 == 1 { refused.append(first + lane) }":
            "a mark for each lane",
        "precondition(compression == .md5 && lanes <= Self.capacity)": "which algorithm",
        "return bits & 0x8080_8080_8080_8080 == 0": "one bit of every character: whether all are ASCII",
        "guard start >= 0, bytes[bytes.count - 1] == UInt8(ascii: \"\\n\"),": "line breaks",
        "start == 0 || bytes[start - 1] == UInt8(ascii: \"\\n\")": "line breaks",
        "return (0..<count).allSatisfy { unsafe bytes[start + $0] == last.utf8Start[$0] } ? start : nil":
            "the last line of an answer",
        "guard read.realm == nil || read.realm == realm else {": "realms",
        "guard realm == nil || realm == secret.realm else {": "realms",
        "guard realms.allSatisfy({ $0.isEmpty || $0.uppercased() == realm.uppercased() }), !user.isEmpty,": "realms",
        "return client.lowercased() == principal.lowercased()": "names of accounts",
        "let line = line.last == UInt8(ascii: \"\\r\") ? line.dropLast() : line": "line breaks",
        "if line.isEmpty || line.first == UInt8(ascii: \"#\") { continue }": "the mark of a comment",
        "bytes.count <= Self.mostPasswordBytes && bytes.indices.allSatisfy { bytes[$0] != 0 }":
            "whether a password is a text of C",
        "static var isAvailable: Bool { function != 0 }": "whether there is a function",
        "guard let result, result.first != UInt8(ascii: \"*\") else { throw .refused }": "the mark of a failure",
        "guard error == .ended, idle != nil else { throw WinbindError(error, of: program) }": "which error",
        "let way = self == .clientToServer ? \"client-to-server\" : \"server-to-client\"": "which direction",
        "sequenceNumber = number == .max ? nil : number + 1": "a counter",
        "if bytes.last == UInt8(ascii: \"\\n\") { bytes.removeLast() }": "the line ending of a file",
        "if bytes.last == UInt8(ascii: \"\\r\") { bytes.removeLast() }": "the line ending of a file",
        "if got < 0, errno == EINTR { continue }": "an error number",
        "domain == nil || user[..<backslash].lowercased() == domain?.lowercased()":
            "the domain of an account",
        "package var isOfDirectory: Bool { domain?.isEmpty == false || user.contains(\"@\") }": "user and domain",
        "return difference == 0": "the verdict of the constant-time helper itself",
        "guard !credential.user.utf8.contains(where: { $0 == UInt8(ascii: \":\") || isControl($0) }) else {":
            "the user",
        "private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }": "characters of the user",
        "return unsafe value.utf8.elementsEqual(bytes) ? nil : FieldEncoding.latin1Text(of: bytes)":
            "a challenge off the wire",
        "precondition(bytes == 0, \"bytes without a message to belong to\")": "a count",
        "precondition(count > 0 && bytes % count == 0, \"messages of unequal lengths\")": "a count",
        "box >= SealingKey.overhead + unit, (Int(box) - SealingKey.overhead) % unit == 0,": "a count",
        "found == layout(of: name)": "the layout of a record",
        "private static func layout(of name: CredentialName) -> UInt16 { name.space.reach == .path ? 2 : 1 }":
            "whether a record has a path",
        "expires: flags == 1 ? Int64(bitPattern: expires) : nil": "whether a record expires",
        "let cost = material.kind == .passphrase ? passphraseCost : nil": "the kind of a key",
        "if kind == .passphrase {": "the kind of a key",
        "guard bytes[5...7].allSatisfy({ $0 == 0 }) else { return nil }": "the clear part of a key slot",
        "guard file.isPipe || file.size == length else { throw .keyLength(bytes: file.size) }": "a count",
        "problem: reason == EEXIST ? .exists : .refusal(of: \"make the key file\", code: reason)": "an error number",
        "let isWritten = written == bytes.count && DurableWriting.sync(descriptor) == 0": "a count",
        "var reason = isWritten ? 0 : written < 0 || written == bytes.count ? errno : ENOSPC": "a count",
        "guard reason == 0 else {": "an error number",
        "while place < bytes.count, bytes[place] != UInt8(ascii: \":\") {": "the digits of a date",
        "if try count(own) == 0 {": "a count",
        "guard unsafe CFStringGetBytes(text, all, utf8, 0, false, nil, 0, &count) == all.length else { return nil }":
            "a count",
        "guard status == errSecSuccess, let trust = made else {": "how a call ends",
        "if status == errSecItemNotFound {": "how a call ends",
        "if status == errSecDuplicateItem {": "how a call ends",
        "if status == errSecItemNotFound { continue }": "how a call ends",
        "if status == errSecItemNotFound { return nil }": "how a call ends",
        "guard status != errSecSuccess else { return }": "how a call ends",
        "guard CFGetTypeID(value) == identifier else { throw .keyring(.foreignItem) }": "the type of a value",
        "bytes.count >= start.count && start.indices.allSatisfy { bytes[$0] == start[$0] }":
            "the mark of an item of the keyring, which every program knows",
        "case .scalarValue(let scalar): if scalar.value == 0 { return false }": "whether a secret is a text of C",
        "if outcome == sallyport_secret_failed { throw .keyring(.noService(reason: reason)) }": "how a call ends",
        "|| (UInt8(ascii: \"0\")...UInt8(ascii: \"9\")).contains(byte) || byte == UInt8(ascii: \"-\")":
            "the name of a kind",
        "guard problem == nil, encoded.elementsEqual([UInt8](copying: bytes)) else { return nil }":
            "the name of a record, from a file that is authentic",
        "return one.utf8.elementsEqual(other.utf8)": "names, realms and users of records",
        "guard found.write > image.write || found.bytes == image.bytes else {": "sealed bytes",
        "if written == input.count { ends.input = nil }": "a count",
        "if found == process { return status & 0x7F == 0 ? status >> 8 & 0xFF : nil }":
            "the number and status of a process",
        "guard code == 0 else {": "an error number",
        "guard sallyport_child_starts() == 0 else { throw .cancelled }": "whether a signal ends the programs",
        "guard error != .noStatus else { throw error }": "which error",
        "let name = bytes.prefix { $0 != UInt8(ascii: \"=\") }": "the end of a variable's name, in the environment",
        "if outcome == .refused { supplied.remove(at: index) }": "which outcome",
        "try await tell(outcome == .accepted ? .store : .erase, message)": "which outcome",
        "old.party == party && old.message.scheme == asked.scheme && old.message.host == asked.host": "who asks",
        "expires = time == 0 ? nil : time": "a time",
        "&& old.message.path == asked.path && (asked.user == nil || asked.user == old.message.user)": "path and user",
        "if let status = outcome.status, status != 0 {": "the status of a process",
        "if status == 128, outcome.complaints.contains(\"terminal prompts disabled\") {": "the status of a process",
        "if status == 128, outcome.complaints.contains(\"told us to quit\") {": "the status of a process",
        "guard outcome.status == 0 else {": "the status of a process",
        "guard outcome.status == 0 else { throw ChildOutputError.failed(status: outcome.status) }":
            "the status of a process",
        "if let user = asked.user, let found = answer.user, !found.utf8.elementsEqual(user.utf8) {": "users",
        "wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }":
            "messages of git, of a program that this user runs",
        "byte == 0 || byte == UInt8(ascii: \"\\n\") || byte == UInt8(ascii: \"\\r\")": "line breaks",
        "while end < bytes.count, bytes[end] != UInt8(ascii: \"\\n\") { end += 1 }": "line breaks",
        "guard let equals = line.indices.first(where: { line[$0] == UInt8(ascii: \"=\") }) else {": "the end of a key",
        "let port = origin.port == origin.scheme.defaultPort ? \"\" : \":\\(origin.port)\"": "a port",
        "return bytes.indices.contains { bytes[$0] == feed && ($0 == 0 || bytes[$0 - 1] == feed) }": "line breaks",
        "return entry.login.map { $0.utf8.elementsEqual(user.utf8) } ?? true": "users",
        "return entries.first { $0.host == host && fits($0) } ?? entries.first { $0.machine == nil && fits($0) }":
            "hosts",
        "if keyword == .machine {": "a keyword",
        "guard draft?.seen.insert(keyword).inserted == true else {": "a keyword",
        "if keyword == .login { draft?.login = value.text(in: bytes) }": "a keyword",
        "if keyword == .password {": "a keyword",
        "case UInt8(ascii: \"\\r\") where offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: \"\\n\"): break":
            "line breaks",
        "let problem: CredentialPlaceError.Problem = problem == .noFolder ? .noFolder : .malformedName":
            "which problem",
        "guard question.party == party, origins.contains(question.origin), !question.wasRefused else { return .nothing }":
            "who asks",
        "if let user = question.user, !login.utf8.elementsEqual(user.utf8) { return .nothing }": "users",
        "guard group == getpgrp() else { throw .inBackground }": "numbers of processes",
        "if case .answer(let answer) = attempt, caught.allSatisfy({ $0 == SIGHUP }) { return answer }": "a signal",
        "if caught.contains(where: { $0 != SIGTSTP && $0 != SIGHUP }) { return .cancelled }": "a signal",
        "guard unsafe tcgetattr(device.number, &settings) == 0 else {": "whether the system did it",
        "guard unsafe tcsetattr(device.number, TCSAFLUSH, &asking) == 0 else {": "whether the system did it",
        "case .failed(let code) where code == EIO: throw TerminalError.closed": "an error number",
        "bytes.count > 0 && bytes[bytes.count - 1] == UInt8(ascii: \"\\n\")": "line breaks",
        "let typed = bytes.indices.map { bytes[$0] }.drop { $0 == UInt8(ascii: \" \") }":
            "spaces around an answer that is shown",
        "return String(decoding: typed.reversed().drop { $0 == UInt8(ascii: \" \") }.reversed(), as: UTF8.self)":
            "spaces around an answer that is shown",
        "let party = question.party == .proxy ? \"The proxy \\(question.origin)\" : \"\\(question.origin)\"":
            "who asks",
    ]

    /// The lines of `source` that compare what may be secret, white space at their ends aside.
    private static func findings(in source: String) -> [String] {
        let takesSecretsOut = ["withBytes", "constantTimeEqual", "Digest16", "SecretBytes", "SharedSecret"]
        let isConcerned = takesSecretsOut.contains { source.contains($0) }
        return source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { line in
            guard !line.hasPrefix("//"), harmless[line] == nil else { return false }
            // Asserts are not in a release build.
            guard !line.hasPrefix("assert(") else { return false }
            // These compare bytes and stop at the first difference, in any file.
            if ["elementsEqual", "memcmp", "bcmp", ".bytes ==", ".bytes !="].contains(where: { line.contains($0) }) {
                return true
            }
            guard isConcerned else { return false }
            let rest = line.replacing(/(\.|\b)count (==|!=)/, with: "").replacing(/(==|!=) nil\b/, with: "")
                .replacing(/\berrno (==|!=) E[A-Z]+\b/, with: "").replacing(/\.revents != 0\b/, with: "")
            return rest.contains(/[^=!<>]==[^=]|!=|~=/)
        }
    }

    @Test func typesThatHoldSecretsHaveNoEquality() {
        for type in Self.secretTypes { #expect(!(type is any Equatable.Type), "\(type)") }
        // The net holds: it sees what is Equatable.
        let visible: [any Sendable.Type] = [ChannelBindings.self]
        #expect(visible.allSatisfy { $0 is any Equatable.Type })
    }

    @Test("Every comparison beside secrets is of a count, of absence, or harmless by name") func sources() throws {
        var files = 0
        for target in [
            "Engines/NTLM", "Base/InsecureDigests", "Base/Secrets", "Credentials/Credentials",
            "Credentials/CredentialStores", "Credentials/CredentialSources",
            "Handling/ClientAuthentication", "Handling/ClientDirectories", "Schemes/HTTPAuthentication",
        ] {
            for (path, source) in try Repository.swiftFiles(below: "Sources/\(target)") {
                files += 1
                // Invariants are called by asserts only.
                if path.hasSuffix("Invariants.swift") { continue }
                let found = Self.findings(in: source)
                #expect(found == [], "\(target)/\(path)")
            }
        }
        #expect(files > 50)
    }

    @Test(
        "What must be found is found",
        arguments: [
            "guard mic == expected else { return }", "if left.elementsEqual(right) { }", "return code != standing",
            "if memcmp(a, b, 16) == 0 { }", "let isProven = proof.bytes == response.ntProofStr",
            "switch key { case _ where key ~= other: break }",
        ]
    )
    func theNetHolds(line: String) {
        #expect(Self.findings(in: "let key = secret.withBytes { $0 }\n    \(line)\n") == [line])
    }

    @Test("Where a proof is judged, the constant-time helper judges it") func verdicts() throws {
        // Proof, integrity code and bindings; a code alone; signatures; the server's answer in Digest.
        for (path, count) in [
            ("Engines/NTLM/Handshake/ServerHandshake+Verification.swift", 3),
            ("Engines/NTLM/Keys/MessageIntegrityCode+Verifying.swift", 1),
            ("Engines/NTLM/Session/SessionSecurity.swift", 1),
            ("Schemes/HTTPAuthentication/Digest/DigestAnswer.swift", 1),
        ] {
            let source = try Repository.text("Sources/\(path)")
            #expect(source.components(separatedBy: "constantTimeEqual(").count > count, "\(path)")
        }
    }
}
