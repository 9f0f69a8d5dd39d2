import CFuzzer
import Secrets

@testable import ClientCertificates

let passphrase = SharedSecret(utf8: "secret")

/// One input: a text of PEM with a key and certificates, as `KeyedIdentity` reads it.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    do throws(IdentityError.Problem) {
        // The keys first, with few iterations; a text that asks for more is not read again without that bound.
        var budget = WorkBudget(iterations: 100)
        let keys = try PEMKey.readAll(in: bytes, passphrase: passphrase, &budget)
        if count > 1, bytes[0] == BERTag.sequence, bytes[1] >= 0x80 { return 0 }
        let identity = try KeyedIdentity(name: "x", parsing: bytes, passphrase: passphrase)
        precondition(keys.count == 1 && keys[0].key.publicKeyInfo == identity.key.publicKeyInfo, "another key")
        precondition(!identity.identity.certificateChain.isEmpty)
    } catch {
        precondition(!error.description.isEmpty && !error.description.contains("\n"))
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
