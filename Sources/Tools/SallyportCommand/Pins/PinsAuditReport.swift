internal import OfflineVerbs
internal import PinAudits
internal import SPKIPins

/// The findings as text and as JSON.
struct PinsAuditReport {
    let findings: [AuditFinding]
    let input: PinsAuditInput

    private struct Object: Encodable {
        let severity: String
        let finding: String
        let file: String?
        let entry: Int?
        let pattern: String?
        let certificate: Int?
        let subject: String?
        let pin: String?
        let sentence: String
        let remedy: String
    }

    /// One object per line.
    var json: String { findings.map { JSONValue.line(encoding: object($0)) }.joined() }

    /// One block per finding, the most severe first, then the counts. Hosts, names and reasons come from files, so each
    /// stays in one line.
    func text(withNotes: Bool) -> String {
        let shown = findings.filter { withNotes || $0.severity > .note }
        // Stable, so that findings of one kind keep the order of the files.
        let sorted = shown.enumerated().sorted {
            ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
        }
        var text = ""
        for (_, finding) in sorted {
            let object = object(finding)
            let place = object.pattern ?? object.subject ?? object.pin ?? object.file ?? ""
            let severity = object.severity.uppercased()
            text += severity + String(repeating: " ", count: 10 - severity.count) + place.inOneLine
            if let file = object.file, place != file { text += "  (\(file.inOneLine))" }
            text += "\n          \(finding.sentence.inOneLine)\n          \(finding.remedy.inOneLine)\n"
        }
        let counts = [AuditSeverity.critical, .warning, .note].map { severity in
            "\(severity) \(findings.count { $0.severity == severity })"
        }
        let hidden = findings.count - shown.count
        return text + counts.joined(separator: ", ") + (hidden > 0 ? " (--notes shows notes)" : "") + "\n"
    }

    private func object(_ finding: AuditFinding) -> Object {
        var file: String?
        var entry: Int?
        var pattern: String?
        var certificate: Int?
        var pin: Pin?
        switch finding.place {
        case .policy(let policy): file = input.policyFiles[policy]
        case .entry(let number, let policy, let name):
            (file, entry, pattern) = (input.policyFiles[policy], number, name)
        case .key(let key, let index): (pin, certificate) = (key, index)
        case .certificate(let index): certificate = index
        case .presented(let index, _): pattern = "\(input.audit.presentations[index].host)"
        }
        var subject: String?
        if let certificate {
            file = input.certificatePlaces[certificate].file
            let bytes = input.audit.certificates[certificate]
            subject = try? CertificateDetails(of: bytes.span).subject
        }
        return Object(
            severity: "\(finding.severity)",
            finding: finding.name,
            file: file,
            entry: entry,
            pattern: pattern,
            certificate: certificate.map { input.certificatePlaces[$0].number },
            subject: subject,
            pin: pin?.base64Text,
            sentence: finding.sentence,
            remedy: finding.remedy
        )
    }
}
