import CFuzzer
import Secrets

@testable import ClientCertificates

let passphrase = SharedSecret(utf8: "secret")

/// One input: a whole file. A fuzzer does not guess an integrity code, so a file whose contents are changed ends there;
/// PKCS12ContentsFuzz reads what lies behind it.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    // The seeds ask for one iteration each; more only take time.
    let budget = WorkBudget(iterations: 100)
    for secret in [passphrase, nil] {
        do throws(IdentityError.Problem) {
            let file = try PKCS12File(parsing: bytes, passphrase: secret, budget: budget)
            precondition(PKCS12File.isPKCS12(bytes), "a file without the beginning of one is read")
            precondition(file.keys.count <= 1 && file.certificates.count <= IdentityLimits.certificates)
            precondition(file.certificates.reduce(0) { $0 + $1.count } <= count, "more came out than went in")
        } catch {
            precondition(!error.description.isEmpty && !error.description.contains("\n"))
        }
    }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
