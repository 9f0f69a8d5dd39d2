import Hostnames
import SPKIPins

/// The snippet of SPKIPins.md.
enum SPKIPinsSnippet {
    static func judge(
        _ certificate: [UInt8],
        backupPin: String,
        _ host: String,
        _ certificates: [[UInt8]],
        now: Int64,
        close: () -> Void
    ) throws {
        let entry = PinPolicy.Entry(
            host: "**.host.example",
            pins: [PositionedPin(try Pin(ofCertificate: certificate.span))],
            backup: .pins([PositionedPin(try Pin(parsing: backupPin))]),
            expiry: 2_082_758_400
        )
        let policy = try PinPolicy(compiling: [entry], version: 1, at: now)
        let chain = try ValidatedChain(assertingValidated: certificates)  // leaf first, anchor last
        switch policy.verdict(for: try Hostname(parsing: host), chain: chain, now: now) {
        case .matched, .notPinned, .reportOnlyMismatch: break  // use the connection
        case .mismatched, .forbiddenKey, .expiredPolicy: close()  // the application decides about an expired policy
        }
    }
}
