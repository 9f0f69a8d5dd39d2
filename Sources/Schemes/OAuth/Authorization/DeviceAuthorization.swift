internal import Secrets
internal import WireFormat

/// A sign-in on another device (RFC 8628): the user types a short code in a browser, and the client asks until it is done.
public struct DeviceAuthorization: Sendable {
    /// What the user types.
    public let userCode: String
    /// Where the user types it.
    public let page: String
    /// The same with the code in it, for a QR code or a link; `nil` if the service sends none.
    public let completePage: String?
    /// When the code ends, in seconds since 1970.
    public let expiry: Int64
    private let deviceCode: SharedSecret
    private let client: OAuthClient
    /// Seconds between two questions. `slow_down` makes it longer.
    public private(set) var interval: Int64
    /// What the last question got; `nil` before the first one.
    private var last: String?
    /// How many responses in a row could not be read. Those of a service in trouble do not count.
    private var unreadable = 0

    /// The request that begins it.
    ///
    /// - Parameters:
    ///   - client: the application.
    ///   - endpoint: the device authorization endpoint of the service.
    ///   - wish: what the token is for.
    public static func request(
        for client: OAuthClient,
        at endpoint: ServiceURL,
        _ wish: OAuthClient.Wish = .init()
    ) -> TokenRequest {
        client.request(to: endpoint) { $0.append(wish) }
    }

    /// Reads the response to that request (RFC 8628 section 3.2).
    public init(_ response: TokenResponse, for client: OAuthClient, at now: Int64) throws(TokenServiceError) {
        let members = try OAuthClient.members(of: response)
        guard let code = members.secret("device_code") else { throw .missing("device_code") }
        guard let user = members.string("user_code") else { throw .missing("user_code") }
        // Some services call it `verification_url`.
        guard let page = members.string("verification_uri") ?? members.string("verification_url") else {
            throw .missing("verification_uri")
        }
        guard let seconds = members.integer("expires_in"), seconds > 0 else { throw .missing("expires_in") }
        let interval = members.integer("interval") ?? TokenLimits.deviceInterval
        (deviceCode, userCode, self.page, self.client) = (code, user, page, client)
        completePage = members.string("verification_uri_complete")
        expiry = now + min(seconds, TokenLimits.lifetime)
        self.interval = max(1, min(interval, TokenLimits.longestDeviceInterval))
    }

    /// The question whether the user has decided. Send it every ``interval`` seconds.
    public var tokenRequest: TokenRequest { tokenRequest(by: client) }

    /// The same by the client with a proof for this request.
    public func tokenRequest(by client: OAuthClient) -> TokenRequest {
        client.request(to: self.client.tokenEndpoint) { form in
            form.append("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            form.append("device_code", deviceCode)
        }
    }

    /// What the response to a question means.
    public enum Step: Sendable {
        /// The user has agreed.
        case granted(TokenGrant)
        /// Ask again after ``DeviceAuthorization/interval`` seconds.
        case wait
        /// The service, or a proxy before it, is in trouble: ask again, later each time.
        case retry
    }

    /// Takes the response to ``tokenRequest``.
    ///
    /// - Throws: ``TokenServiceError``: a refusal that ends the sign-in, such as `access_denied`, a grant that cannot be used,
    ///   ``TokenServiceError/unreadable(last:)``, or ``TokenServiceError/codeEnded(last:)`` after ``expiry``.
    public mutating func received(_ response: TokenResponse, at now: Int64) throws(TokenServiceError) -> Step {
        do throws(TokenServiceError) {
            return .granted(try client.grant(from: response, at: now))
        } catch  where error.isUnreadable && !Self.isOfTrouble(response.status) {
            unreadable += 1
            let words = "status \(response.status) and \(error.lack)"
            last = words
            guard unreadable < TokenLimits.unreadableResponses else { throw .unreadable(last: words) }
            return try unended(.retry, at: now)
        } catch .refused(let refusal) where refusal.code == .authorizationPending || refusal.code == .slowDown {
            // RFC 8628 section 3.5: five seconds more, for this and all later questions.
            unreadable = 0
            if refusal.code == .slowDown { interval = min(interval + 5, TokenLimits.longestDeviceInterval) }
            last = VisibleText.quoted(refusal.code.rawValue)
            return try unended(.wait, at: now)
        } catch  where error.isPassing || Self.isOfTrouble(response.status) {
            // The service's words may repeat a secret of the question, so its code alone is kept.
            if case .refused(let refusal) = error {
                unreadable = 0
                last = "status \(response.status), \(VisibleText.quoted(refusal.code.rawValue))"
            } else {
                last = "status \(response.status)"
            }
            return try unended(.retry, at: now)
        }
    }

    /// What the last response was if it is the first that cannot be read: the user may have named a wrong URL.
    package var firstUnreadable: String? { unreadable == 1 ? last : nil }

    /// Whether the next response may be another one, whatever this one says. The status counts first: a service in trouble, or a proxy
    /// before it, may write any code.
    private static func isOfTrouble(_ status: Int) -> Bool { status >= 500 || [408, 425, 429].contains(status) }

    /// Notes that a question got no response, for ``ended``.
    package mutating func noteFailure(_ error: any Error) { last = "no response: \(error)" }

    /// The error after ``expiry``.
    package var ended: TokenServiceError { .codeEnded(last: last) }

    /// How long to wait at `now` before the next question, in seconds: ``interval`` and `pause`, but not beyond ``expiry``. A long pause
    /// ends one second before it, so that a decision during the pause is seen.
    package func wait(_ pause: Int64, at now: Int64) -> Int64 {
        let left = max(0, expiry - now)
        return min(left, interval + pause, max(interval, left - 1))
    }

    private func unended(_ step: Step, at now: Int64) throws(TokenServiceError) -> Step {
        guard now < expiry else { throw ended }
        return step
    }
}

extension TokenServiceError {
    /// Whether the response has no member that OAuth defines: a page of a proxy, or one of a wrong URL.
    fileprivate var isUnreadable: Bool {
        switch self {
        case .status, .notJSON, .tooLong: true
        default: false
        }
    }

    /// What a response that cannot be read has in place of an answer.
    fileprivate var lack: String {
        switch self {
        case .notJSON(let place): "no JSON (\(place))"
        case .tooLong(let bytes): "\(bytes) bytes"
        default: "no reason"
        }
    }

    /// Whether the sign-in goes on. It ends with a code that ends it, and with a grant that cannot be used.
    fileprivate var isPassing: Bool {
        if isUnreadable { return true }
        if case .refused(let refusal) = self { return !OAuthRefusal.Code.ending.contains(refusal.code) }
        return false
    }
}

extension OAuthRefusal.Code {
    /// The codes after which another question gets the same answer.
    fileprivate static let ending: Set<Self> = [
        // RFC 6749 section 5.2.
        .invalidRequest, .invalidClient, .invalidGrant, .unauthorizedClient, .unsupportedGrantType, .invalidScope,
        // RFC 8628 section 3.5, RFC 8707 section 2, RFC 9449 section 5.
        .accessDenied, .expiredToken, .invalidTarget, .useDPoPNonce,
        // Microsoft's words for `access_denied` and for a wrong device code.
        Self(rawValue: "authorization_declined"), Self(rawValue: "bad_verification_code"),
    ]
}
