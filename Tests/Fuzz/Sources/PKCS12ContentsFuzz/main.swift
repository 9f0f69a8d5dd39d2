import CFuzzer
import Foundation
import Secrets

@testable import ClientCertificates

let passphrase = SharedSecret(utf8: "secret")

/// The end of a file: HMAC-SHA256 with one iteration. The code is all zeros, and stands in the place of the true one.
enum MacData {
    static let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    static let sha256: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
    ]

    static func element(_ code: [UInt8]) -> [UInt8] {
        let digest = DERElements.element(BERTag.sequence, of: [sha256, DERElements.element(BERTag.octetString, code)])
        return DERElements.element(BERTag.sequence, of: [digest, DERElements.element(BERTag.octetString, salt)])
    }

    static let reader: IntegrityCode = {
        let bytes = element([UInt8](repeating: 0, count: 32))
        let span = bytes.span
        var whole = BERReader(over: 0..<bytes.count, of: .integrityCode)
        guard let code = try? IntegrityCode(reading: &whole, in: span) else { preconditionFailure("no code") }
        return code
    }()
}

/// A file that holds `safes` and their integrity code.
func sealed(_ safes: [UInt8]) -> [UInt8] {
    guard let text = try? Passphrase(passphrase), let code = MacData.reader.code(of: safes, text) else {
        preconditionFailure("no code")
    }
    let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let octets = DERElements.element(BERTag.octetString, safes)
    let wrapped = DERElements.element(BERTag.context0, octets)
    let content = DERElements.element(BERTag.sequence, of: [data, wrapped])
    return DERElements.element(BERTag.sequence, of: [[BERTag.integer, 1, 3], content, MacData.element(code)])
}

/// How far inputs came, for the line at the end.
nonisolated(unsafe) var reached = (whole: 0, decryption: 0, structure: 0)

/// One input: the safes of a file, which gets the integrity code of them. It is read to the end: decryption, keys, certificates.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = sealed(Array(UnsafeBufferPointer(start: start, count: count)))
    do throws(IdentityError.Problem) {
        let file = try PKCS12File(parsing: bytes.span, passphrase: passphrase, budget: WorkBudget(iterations: 100))
        precondition(file.keys.count <= IdentityLimits.keys && file.certificates.count <= IdentityLimits.certificates)
        reached.whole += 1
        guard let key = file.keys.first?.key else { return 0 }
        let read = key.pkcs8.withBytes { (bytes) -> IdentityKey? in try? IdentityKey(pkcs8: bytes) }
        precondition(read?.publicKeyInfo == key.publicKeyInfo, "a key that was read does not travel")
        let identity = try KeyedIdentity(name: "x", certificates: file.certificates, key: key)
        precondition(!identity.identity.certificateChain.isEmpty)
        precondition(identity.identity.certificateChain.allSatisfy(file.certificates.contains))
    } catch {
        precondition(!error.description.isEmpty && !error.description.contains("\n"))
        switch error {
        case .malformed(.contents), .malformed(.encryption), .malformed(.file), .unsupported, .tooCostly:
            reached.structure += 1
        default: reached.decryption += 1
        }
        // The code is right, so the file must not be taken for one with another passphrase.
        precondition(error != .wrongPassphrase && error != .noIntegrityCode && error != .notPKCS12)
    }
    return 0
}

// libFuzzer's main does not return.
atexit {
    print("reached: \(reached.structure) structure, \(reached.decryption) ciphertext or key, \(reached.whole) the end")
}
// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
