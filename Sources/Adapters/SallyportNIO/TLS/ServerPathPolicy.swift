internal import Foundation
internal import Hostnames
internal import SPKIPins
internal import Sallyport
internal import SwiftASN1
internal import X509

/// What a path from a server to a root must fulfil: RFC 5280, its use, the name of the host, the revocation lists, and the pins of the profile.
///
/// The pins take part in the search, because an authority that is cross-signed has several valid paths and only one of them
/// may have a pin. It is a class, so that its finding can be read after the search.
final class ServerPathPolicy: VerifierPolicy {
    /// Why a path is refused. A path that passes more of the checks says more about the server.
    enum Finding: Error, Equatable {
        case invalid(InvalidServer)
        /// The pins of the profile refuse the path; with what does not match, if no pin does.
        case rejected(Refusal, PinMismatch?)
        case cancelled

        fileprivate var checksPassed: Int {
            switch self {
            case .invalid(.otherUse): 1
            case .invalid(.otherName): 2
            case .invalid(.revoked), .invalid(.unusableRevocationList): 3
            case .rejected, .cancelled: 4
            case .invalid: 0
            }
        }
    }

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]
    /// The refusal of the path that passed the most checks; `nil` if no path was found.
    private(set) var finding: Finding?

    /// Why no pin matches the path that was taken, if the entry of the host only reports; otherwise `nil`.
    private(set) var mismatch: PinMismatch?

    private let rules = RFC5280Policy()
    private var names: ServerIdentityPolicy
    private let host: Hostname
    private let handler: ChallengeHandler
    private let floor: KeyFloor
    private let revocation: RevocationLists
    private let now: Date
    private let isTrial: Bool

    /// The policy for one connection to `host`, at the time `now`.
    ///
    /// - Parameter isTrial: whether entries that only report count as enforcing ones, and no event is sent.
    init(
        host: Hostname,
        handler: ChallengeHandler,
        floor: KeyFloor,
        revocation: RevocationLists,
        now: Date,
        isTrial: Bool
    ) {
        self.host = host
        self.handler = handler
        self.floor = floor
        self.revocation = revocation
        self.now = now
        self.isTrial = isTrial
        names = ServerIdentityPolicy(
            serverHostname: host.isAddress ? nil : host.withoutBrackets,
            serverIP: host.isAddress ? host.withoutBrackets : nil
        )
        verifyingCriticalExtensions =
            rules.verifyingCriticalExtensions + names.verifyingCriticalExtensions + [.X509ExtensionID.extendedKeyUsage]
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        guard let found = problem(of: chain) else { return .meetsPolicy }
        if finding.map({ $0.checksPassed < found.checksPassed }) ?? true { finding = found }
        return .failsToMeetPolicy(reason: "see the finding of the policy")
    }

    private func problem(of chain: UnverifiedCertificateChain) -> Finding? {
        if Task.isCancelled { return .cancelled }
        if case .failsToMeetPolicy(let reason) = rules.chainMeetsPolicyRequirements(chain: chain) {
            return .invalid(explain(chain, "\(reason)"))
        }
        // The key and the use of a root are the business of those who trust it.
        for certificate in chain.count == 1 ? chain[...] : chain.dropLast() {
            if let weak = floor.problem(of: certificate) { return .invalid(weak) }
            // A certificate that is trusted itself needs no signature.
            if chain.count > 1, certificate.signatureAlgorithm == .sha1WithRSAEncryption {
                return .invalid(.weakSignature(subject: "\(certificate.subject)"))
            }
            guard certificate.isForServers else { return .invalid(.otherUse(subject: "\(certificate.subject)")) }
        }
        // RFC 9525 section 2: the common name does not count. Name constraints do not restrict it either.
        guard let hosts = try? chain.leaf.extensions.subjectAlternativeNames,
            case .meetsPolicy = names.chainMeetsPolicyRequirements(chain: chain), host.isAddress || isNamed(by: hosts)
        else { return .invalid(.otherName) }
        if let revoked = revocation.problem(of: chain, at: Int64(now.timeIntervalSince1970)) {
            return .invalid(revoked)
        }
        return pinProblem(of: chain)
    }

    /// Whether one of the names is the host's. The library's policy takes `*` in any part of the first label, and above any name.
    private func isNamed(by names: SubjectAlternativeNames) -> Bool {
        names.contains { name in
            if case .dnsName(let text) = name {
                CertificateName.covers(text, host: host.withoutBrackets)
            } else {
                false
            }
        }
    }

    private func pinProblem(of chain: UnverifiedCertificateChain) -> Finding? {
        guard let certificates = try? chain.map({ try $0.der }),
            let validated = try? ValidatedChain(assertingValidated: certificates)
        else { return .rejected(.chainNotValidated, nil) }
        let (trust, seconds) = (ServerTrust(host: host, chain: validated), Int64(now.timeIntervalSince1970))
        switch isTrial ? handler.judge(trust, now: seconds) : handler.evaluate(trust, now: seconds) {
        case .validatedOnly(.reportOnlyMismatch(let found)?):
            guard !isTrial else { return .rejected(.pinMismatch(.reportOnlyMismatch(found)), found) }
            // The search ends with the path that is allowed.
            mismatch = found
            return nil
        case .trusted, .validatedOnly: return nil
        case .rejected(let refusal):
            if case .pinMismatch(.mismatched(let found)) = refusal { return .rejected(refusal, found) }
            return .rejected(refusal, nil)
        }
    }

    private func explain(_ chain: UnverifiedCertificateChain, _ rule: String) -> InvalidServer {
        if let expired = chain.first(where: { $0.notValidAfter < now }) {
            return .expired(subject: "\(expired.subject)")
        }
        if let early = chain.first(where: { now < $0.notValidBefore }) {
            return .notYetValid(subject: "\(early.subject)")
        }
        // The text quotes whole certificates.
        return .brokenRule(rule.replacing(/Certificate\(.*\)/, with: ""))
    }
}

extension Certificate {
    /// The certificate as it was read.
    var der: [UInt8] {
        get throws {
            // A parsed certificate is serialized from its original bytes.
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }

    /// Whether the extended key usage allows a server (RFC 5280 section 4.2.1.12); no extension allows any use.
    fileprivate var isForServers: Bool {
        guard extensions[oid: .X509ExtensionID.extendedKeyUsage] != nil else { return true }
        guard let uses = try? extensions.extendedKeyUsage else { return false }
        return uses.contains(.serverAuth) || uses.contains(.any)
    }
}
