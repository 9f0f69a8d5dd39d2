import Foundation
import Sallyport
import Testing

@testable import SallyportURLSession

@Suite struct HandedOutPasswordsTests {
    private func request(_ number: Int) throws -> ChallengedRequest {
        try ChallengedRequest(url: "https://h\(number).acme.example/", method: "GET")
    }

    @Test("Each hand-out counts once, for its server and password") func counts() throws {
        let handler = try TestController().current.handler
        let passwords = HandedOutPasswords()
        let first = try request(1)
        let account = try #require(handler.preparedAccount(for: first))
        #expect(!passwords.removeUse(first, account))
        passwords.add(first, account)
        passwords.add(first, account)
        #expect(!passwords.removeUse(try request(2), account))
        let other = try TestController(account: TestController.account(password: "p")).current.handler
        #expect(!passwords.removeUse(first, try #require(other.preparedAccount(for: first))))
        #expect([passwords.removeUse(first, account), passwords.removeUse(first, account)] == [true, true])
        #expect(!passwords.removeUse(first, account))
    }

    @Test("At the bound the oldest is forgotten") func bound() throws {
        let handler = try TestController().current.handler
        let passwords = HandedOutPasswords()
        let account = try #require(handler.preparedAccount(for: try request(0)))
        for number in 0...HandedOutPasswords.maximumUses { passwords.add(try request(number), account) }
        #expect(!passwords.removeUse(try request(0), account))
        #expect(passwords.removeUse(try request(1), account))
        #expect(passwords.removeUse(try request(HandedOutPasswords.maximumUses), account))
    }
}
