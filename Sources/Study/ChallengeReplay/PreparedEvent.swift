package import ChallengeHandling
internal import Corpora
internal import Credentials
internal import Foundation
internal import Hostnames
internal import Secrets
internal import WireFormat

/// A recorded event in the types of the handler, made before the clock starts. A class, so that a decision copies nothing.
final class PreparedEvent: Sendable {
    struct Handshake: Sendable {
        let origin: Origin
        /// DER, leaf to anchor; `nil` if the chain was not valid.
        let validated: [[UInt8]]?
        /// DER Names; `nil` if the server did not ask for a certificate.
        let authorities: [[UInt8]]?
    }

    struct NewPassword: Sendable {
        let account: String
        let password: SharedSecret
    }

    enum Content: Sendable {
        case handshake(Handshake)
        case response(PreparedResponse)
        case password(NewPassword)
        case profile(RecordedProfile)
        case forgiven(account: String)
    }

    let recorded: RecordedEvent
    let content: Content

    /// Whether a decision is made about it, or it stands in the report.
    var isObserved: Bool {
        switch content {
        case .handshake, .response, .password: true
        case .profile, .forgiven: false
        }
    }

    /// Whether it is the reply to an answer that the handler withholds.
    var isEvidence: Bool { recorded.expected.verdict == "evidence" }

    var unixSeconds: Int64 { recorded.unixMicroseconds / 1_000_000 }

    init(_ event: RecordedEvent, of recording: ChallengeRecording) throws(ReplayError) {
        let certificates = recording.certificates
        recorded = event
        do {
            switch event.content {
            case .profile(let profile):
                content = .profile(profile)
                return
            case .forgiven(let account):
                content = .forgiven(account: account)
                return
            case .handshake, .response, .password: break
            }
            let origin = try Origin(parsing: event.origin)
            switch event.content {
            case .profile, .forgiven: preconditionFailure("they have no origin, and were prepared above")
            case .handshake(let handshake):
                content = .handshake(
                    Handshake(
                        origin: origin,
                        validated: handshake.validated.map { chain in chain.compactMap { certificates[$0] } },
                        authorities: try handshake.certificateRequest?.authorities.map { try Base64.decode($0) }
                    )
                )
            case .password(let new):
                let path = recording.folder.appending(path: "secrets").appending(path: new.secret).path
                content = .password(
                    NewPassword(account: new.account, password: try SecretReference.file(path: path).load())
                )
            case .response(let response):
                content = .response(try PreparedResponse(response, of: event, origin: origin, certificates))
            }
        } catch {
            throw ReplayError.event(exchange: event.exchange, leg: event.leg, problem: "\(error)")
        }
    }
}

/// Why a recording cannot be replayed.
package enum ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// An event of the recording cannot be read.
    case event(exchange: Int, leg: Int, problem: String)
    /// The profile cannot be used.
    case profile(ProfileError)
    /// The transcript cannot be replayed.
    case transcript(String)

    /// One line: the place and the problem.
    package var description: String {
        switch self {
        case .event(let exchange, let leg, let problem): "exchange \(exchange), leg \(leg): \(problem)"
        case .profile(let error): "\(error)"
        case .transcript(let problem): "the transcript \(problem)"
        }
    }
}
