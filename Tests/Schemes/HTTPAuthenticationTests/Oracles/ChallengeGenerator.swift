import HTTPAuthentication
import TestSupport

/// What a generated challenge means, in plain values.
struct WrittenChallenge: Equatable {
    var scheme: String
    var token: String?
    var parameters: [String]

    init(scheme: String, token: String?, parameters: [String]) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    init(_ challenge: Challenge) {
        scheme = challenge.scheme.name
        token = challenge.token
        parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }
    }
}

/// Writes challenge fields of which it knows the meaning: the parser's twin, from the other side.
struct ChallengeGenerator {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    mutating func field() -> (text: String, meaning: [WrittenChallenge]) {
        var texts: [String] = []
        var meaning: [WrittenChallenge] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let scheme = ["Basic", "DIGEST", "ntlm", "Negotiate", "X-y!"].randomElement(using: &random) ?? "Basic"
            var written = WrittenChallenge(scheme: scheme.lowercased(), token: nil, parameters: [])
            var text = scheme
            switch Int.random(in: 0...2, using: &random) {
            case 0: break
            case 1:
                let token = ["abc", "TlRM==", "a/b+c=", "0._~-"].randomElement(using: &random) ?? "abc"
                written.token = token
                text += blanks(1) + token
            default:
                let count = Int.random(in: 1...4, using: &random)
                let parameters = (0..<count).map { parameter(number: $0) }
                written.parameters = parameters.map(\.meaning)
                text += blanks(1) + parameters.map(\.text).joined(separator: separator())
            }
            meaning.append(written)
            texts.append(text)
        }
        return (blanks(0) + texts.joined(separator: separator()) + blanks(0), meaning)
    }

    private mutating func parameter(number: Int) -> (text: String, meaning: String) {
        let name = "P\(number)"
        let alphabet = Array("ab, =\"\\é☃;Basic/")
        let plain = String((0..<Int.random(in: 1...6, using: &random)).map { _ in alphabet[Int(random.next() % 15)] })
        if Bool.random(using: &random) {
            return ("\(name)\(blanks(0))=\(blanks(0))token\(number)", "p\(number)=token\(number)")
        }
        let quoted = plain.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return ("\(name)\(blanks(0))=\(blanks(0))\"\(quoted)\"", "p\(number)=\(plain)")
    }

    private mutating func separator() -> String {
        blanks(0) + (Bool.random(using: &random) ? "," : ", ,") + blanks(0)
    }

    private mutating func blanks(_ atLeast: Int) -> String {
        String(repeating: Bool.random(using: &random) ? " " : "\t", count: atLeast + Int(random.next() % 2))
    }
}
