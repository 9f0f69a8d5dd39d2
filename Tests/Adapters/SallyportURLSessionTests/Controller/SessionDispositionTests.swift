import Foundation
import Sallyport
import TestSupport
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct SessionDispositionTests {
    static let credential = URLCredential(user: "u", password: "p", persistence: .none)
    static let all: [SessionDisposition] = [
        .useCredential(credential), .performDefaultHandling, .cancel(.refused(.noCredential)),
        .rejectProtectionSpace(.refused(.noSupportedScheme)), .continueWithoutCredential(.refused(.noCredential)),
    ]

    // URLSession.AuthChallengeDisposition: 0 use, 1 default, 2 cancel, 3 reject.
    @Test(
        "The five dispositions in the words of Apple's systems and of Linux",
        .row(17, 53),
        arguments: zip(0..<5, [0, 1, 2, 3, 0])
    )
    func answers(index: Int, apple: Int) {
        let onApple = Self.all[index].systemAnswer(of: .apple)
        #expect(onApple.0.rawValue == apple)
        #expect((onApple.1 === Self.credential) == (index == 0) && (onApple.1 == nil) == (index != 0))
        let onLinux = Self.all[index].systemAnswer(of: .linux)
        #expect(onLinux.0.rawValue == (index == 0 ? 0 : 2))
        #expect((onLinux.1 == nil) == (index != 0))
    }

    #if canImport(FoundationNetworking)
        @Test("On Linux only a credential or a cancellation comes out") func current() {
            #expect(Self.all.map { $0.systemAnswer.0.rawValue } == [0, 2, 2, 2, 2])
        }
    #endif
}
