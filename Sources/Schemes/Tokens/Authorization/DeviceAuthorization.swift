internal import Secrets

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
    public var tokenRequest: TokenRequest {
        client.request(to: client.tokenEndpoint) { form in
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
    /// - Throws: ``TokenServiceError``; with the code `access_denied` or `expired_token` the sign-in has ended.
    public mutating func received(_ response: TokenResponse, at now: Int64) throws(TokenServiceError) -> Step {
        do throws(TokenServiceError) {
            return .granted(try client.grant(from: response, at: now))
        } catch .refused(let refusal) where refusal.code == .authorizationPending || refusal.code == .slowDown {
            // RFC 8628 section 3.5: five seconds more, for this and all later questions.
            if refusal.code == .slowDown { interval = min(interval + 5, TokenLimits.longestDeviceInterval) }
            return try unended(.wait, at: now)
        } catch  where error.isPassing {
            return try unended(.retry, at: now)
        }
    }

    private func unended(_ step: Step, at now: Int64) throws(TokenServiceError) -> Step {
        guard now < expiry else { throw .refused(OAuthRefusal(code: .expiredToken, text: nil)) }
        return step
    }
}

extension TokenServiceError {
    /// Whether the next response may be another one: the service does not work now, or a page of a proxy stands in its place.
    fileprivate var isPassing: Bool {
        switch self {
        case .status(let status): status == 408 || status == 429 || status >= 500 || (300...399).contains(status)
        case .notJSON, .tooLong: true
        default: false
        }
    }
}
