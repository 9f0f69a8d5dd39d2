internal import Credentials
internal import Foundation
internal import NIOCore
internal import OfflineVerbs
internal import SallyportClient
internal import SallyportNIO
internal import Waiting
internal import WireFormat

/// Where a revocation list is: a file, or a URL of http or https. Authorities publish their lists over http, because they are signed.
struct RevocationPlace: Sendable {
    static let option = "--crl"
    /// How long a server may take to send a list.
    private static let limit = TimeAmount.minutes(1)

    /// The path, or the URL as it is requested.
    private let text: String
    /// The path, or the URL without its query.
    private let shown: String
    let isURL: Bool

    init(_ argument: String) throws {
        isURL = PublicFile.isURL(argument)
        guard isURL else {
            (text, shown) = (argument, argument)
            return
        }
        do throws(RequestProblem) {
            let url = try RequestURL(argument)
            (text, shown) = (url.text, url.shown)
        } catch .userInURL {
            // The URL is not shown, because it has a secret.
            throw RevocationProblem("a URL with a name or password before '@': remove it, because lists are public")
        } catch {
            throw RevocationProblem("\(error)")
        }
    }

    /// The state of the file; `nil` for a URL, and for a file that cannot be looked at.
    var stamp: FileStamp? { isURL ? nil : FileStamp(at: text) }

    /// Reads the lists.
    ///
    /// - Parameter now: seconds since 1970-01-01T00:00:00Z. A list that is not good at that time is an error.
    /// - Throws: ``RevocationProblem`` or `CancellationError`.
    func lists(at now: Int64, _ settings: ClientSettings, _ tls: TLSSettings) async throws -> [RevocationList] {
        let fetched = isURL ? try await fetch(settings, tls) : nil
        // A large list takes seconds.
        return try await OwnThread.run { try lists(in: fetched ?? file(), at: now) }
    }

    private func lists(in bytes: [UInt8], at now: Int64) throws -> [RevocationList] {
        do {
            // DER begins with a SEQUENCE; its form is not asked for, because a large list begins like no certificate.
            let text = bytes.first == 0x30 ? bytes : try ForeignFile.text(bytes)
            let lists = try RevocationList.lists(in: text)
            for list in lists {
                guard let defect = list.defect(at: now) else { continue }
                throw problem("the list of \(VisibleText.quoted(list.issuer)) \(defect)")
            }
            return lists
        } catch let error as RevocationListError {
            throw problem("\(error)")
        } catch let form as ForeignFile {
            throw problem("\(form)")
        }
    }

    private func file() throws -> [UInt8] {
        do {
            let handle = try ArgumentPath.open(text)
            return [UInt8](try handle.read(upToCount: RevocationList.mostBytes + 1) ?? Data())
        } catch {
            throw problem("\(FileProblem.reading(text))")
        }
    }

    private func fetch(_ settings: ClientSettings, _ tls: TLSSettings) async throws -> [UInt8] {
        do {
            return try await PublicFile.bytes(
                of: text,
                atMost: RevocationList.mostBytes,
                within: Self.limit,
                settings,
                tls
            )
        } catch let error as PublicFile.Problem {
            throw problem("\(error)")
        } catch ClientError.bodyTooLong(let limit) {
            throw problem("it has more than \(limit) bytes: give a smaller list")
        }
    }

    private func problem(_ text: String) -> RevocationProblem { RevocationProblem("\(shown.inOneLine): \(text)") }
}

/// Why the lists of `--crl` cannot be used.
struct RevocationProblem: Error, Equatable, CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    let description: String

    init(_ text: String) { description = "\(RevocationPlace.option): \(text)" }
}
