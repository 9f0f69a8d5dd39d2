import HTTPAuthentication
import HTTPTypes
import Secrets
import Testing

@Suite struct BasicExchangeTests {
    @Test(
        "RFC 7617 section 2",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{A3}", "Basic dGVzdDoxMjPCow=="),
        ]
    )
    func publishedVectors(user: String, password: String, value: String) {
        var exchange = AuthenticationExchange.basic(.init(user, password), party: .origin)
        let step = exchange.received(status: 401, fields: .challenge(#"Basic realm="WallyWorld""#))
        #expect(step.value == value)
        #expect(exchange.received(status: 200, fields: [:]) == .done)
    }

    @Test func proxyAnswersInItsOwnField() {
        var exchange = AuthenticationExchange.basic(.init("u", "p"), party: .proxy)
        let step = exchange.received(status: 407, fields: .challenge("Basic realm=x", by: .proxy))
        #expect(step.field == .proxyAuthorization)
        #expect(step.isSameConnection == false)
    }

    @Test func secondChallengeMeansRefused() {
        var exchange = AuthenticationExchange.basic(.init("u", "p"), party: .origin)
        _ = exchange.received(status: 401, fields: .challenge("Basic realm=x"))
        #expect(exchange.received(status: 401, fields: .challenge("Basic realm=x")) == .fail(.refused))
        #expect(exchange.received(status: 401, fields: .challenge("Basic realm=x")) == .fail(.outOfOrder))
    }

    @Test func canBeSentBeforehand() {
        var exchange = AuthenticationExchange.basic(.init("Aladdin", "open sesame"), party: .origin)
        #expect(exchange.start()?.value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(exchange.received(status: 401, fields: .challenge("Basic realm=x")) == .fail(.refused))
    }

    @Test(
        "What cannot be written is refused",
        arguments: [
            ("a:b", "p", ExchangeFailure.userNotRepresentable), ("a\nb", "p", .userNotRepresentable),
            ("a", "p\u{7F}", .passwordNotRepresentable), ("a", "p\r\nX: y", .passwordNotRepresentable),
        ]
    )
    func unwritable(user: String, password: String, failure: ExchangeFailure) {
        var exchange = AuthenticationExchange.basic(.init(user, password), party: .origin)
        #expect(exchange.received(status: 401, fields: .challenge("Basic realm=x")) == .fail(failure))
    }

    @Test("A missing realm is tolerated, as browsers and curl do; a token in its place is not")
    func missingRealm() {
        var exchange = AuthenticationExchange.basic(.init("u", "p"), party: .origin)
        #expect(exchange.received(status: 401, fields: .challenge("Basic")).value == "Basic dTpw")
        var second = AuthenticationExchange.basic(.init("u", "p"), party: .origin)
        #expect(second.received(status: 401, fields: .challenge("Basic abc")) == .fail(.malformedChallenge))
    }

    @Test func nothingSecretIsPrinted() {
        var exchange = AuthenticationExchange.basic(.init("Aladdin", "open sesame"), party: .origin)
        let step = exchange.received(status: 401, fields: .challenge("Basic realm=x"))
        var dumped = ""
        dump(step, to: &dumped)
        for text in ["\(step)", String(reflecting: step), dumped] {
            #expect(!text.contains("sesame"))
            #expect(!text.contains("QWxhZGRpbjpvcGVuIHNlc2FtZQ"))
        }
    }
}
