import HTTPAuthentication
import HTTPTypes
import Testing

@testable import OAuth

@Suite struct BearerChallengeTests {
    private func read(_ value: String) -> BearerChallenge? {
        let offer = OfferedChallenges(by: .origin, in: [.wwwAuthenticate: value])
        return offer.challenges.lazy.compactMap { BearerChallenge($0) }.first
    }

    @Test("The challenges of RFC 6750 section 3") func specification() {
        let bare = read(#"Bearer realm="example""#)
        #expect(bare?.realm == "example" && bare?.problem == nil && bare?.wantsNewToken == true)
        let expired = read(
            #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#
        )
        #expect(expired?.problem == .invalidToken && expired?.wantsNewToken == true)
        // What is empty is not said.
        let empty = read(#"Bearer realm="example", error="", scope="", resource_metadata="""#)
        #expect(empty?.problem == nil && empty?.wantsNewToken == true && empty?.scope == nil)
    }

    @Test(
        "Every error of RFC 6750 section 3.1, and that of RFC 9470",
        arguments: [
            ("invalid_request", BearerChallenge.Problem.invalidRequest, false), ("invalid_token", .invalidToken, true),
            ("insufficient_scope", .insufficientScope, false),
            ("insufficient_user_authentication", .insufficientAuthentication, false), ("odd", .other("odd"), false),
        ]
    )
    func errors(word: String, problem: BearerChallenge.Problem, wantsNewToken: Bool) {
        let challenge = read(#"Basic realm="x", Bearer scope="a b", error="\#(word)""#)
        #expect(challenge?.problem == problem && challenge?.wantsNewToken == wantsNewToken)
        #expect(challenge?.scope == "a b")
    }

    @Test("The challenges of RFC 9449 sections 7.1 and 9") func bound() {
        let binding = read(#"DPoP error="invalid_token", error_description="Invalid DPoP key binding", algs="ES256""#)
        #expect(binding?.problem == .invalidToken && binding?.wantsNewToken == true)
        let nonce = read(
            #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#
        )
        #expect(nonce?.problem == .missingNonce && nonce?.wantsNewToken == false)
        #expect(read(#"DPoP error="invalid_dpop_proof""#)?.problem == .invalidProof)
    }

    @Test("Resource metadata (RFC 9728 section 5.1); a URL in clear text is ignored") func metadata() throws {
        let url = "https://resource.example.com/.well-known/oauth-protected-resource"
        #expect(read(#"Bearer resource_metadata="\#(url)""#)?.resourceMetadata == (try ServiceURL(url)))
        #expect(read(#"Bearer resource_metadata="http://resource.example.com/""#)?.resourceMetadata == nil)
        #expect(read("Basic realm=x") == nil)
    }
}
