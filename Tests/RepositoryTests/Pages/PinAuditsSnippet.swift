import PinAudits
import SPKIPins

/// The snippet of PinAudits.md.
enum PinAuditsSnippet {
    static func audit(_ entries: [PinPolicy.Entry], _ certificates: [[UInt8]], now: Int64) -> PinAudit {
        var audit = PinAudit()
        audit.policies = [entries]  // [PinPolicy.Entry]
        audit.certificates = certificates  // DER, in any order
        audit.releaseCadence = 30 * 86_400  // seconds between two releases
        for finding in audit.findings(at: now) {
            print(finding)  // severity, sentence and remedy in one line
        }
        return audit
    }
}
