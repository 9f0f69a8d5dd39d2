internal import OfflineVerbs
internal import ProfileFiles
internal import Sallyport
internal import Secrets
internal import SmartCards
internal import WireFormat

/// A client certificate on a card that a command has opened.
struct OpenCard: Sendable {
    /// How long a card may take for one operation.
    private static let limit = Duration.seconds(60)

    /// The certificate.
    let identity: ClientIdentity
    /// Its key, which signs on the card.
    let key: CardKey
    /// The URI of RFC 7512.
    let uri: String
    private let card: SmartCard

    /// Opens a card, and asks for its PIN if one is needed. Blocks the calling thread.
    ///
    /// The caller ends the session with ``close()``.
    ///
    /// - Parameters:
    ///   - entry: the certificate of a profile, or of the option that names the card. Without a PIN the URI names its place, or a person
    ///     types it.
    ///   - text: the URI of the card.
    init(_ entry: ProfileIdentity, uri text: String, mayAsk: Bool) throws {
        do { try self.init(opening: entry, uri: text, mayAsk: mayAsk) } catch let error as SmartCardError {
            throw RequestProblem.identity(entry.shown, "\(error)")
        }
    }

    private init(opening entry: ProfileIdentity, uri text: String, mayAsk: Bool) throws {
        let uri: PKCS11URI
        do throws(PKCS11URIError) { uri = try PKCS11URI(parsing: text) } catch {
            throw RequestProblem.identity(entry.shown, "\(error)")
        }
        let card: SmartCard
        do {
            card = try Self.open(uri, entry.secret)
        } catch let error as SmartCardError where error.problem == .pinNeeded {
            guard mayAsk else { throw RequestProblem.noPIN(entry.shown) }
            do {
                let typed = try TypedSecret.read("PIN of \((uri.token ?? "the card").inOneLine)", else: "")
                card = try Self.open(uri, typed)
            } catch TypedSecretError.noTerminal {
                throw RequestProblem.noPIN(entry.shown)
            }
        }
        let found = try Blocking.run {
            do { return try await card.identity(named: entry.name) } catch {
                await card.close()
                throw error
            }
        }
        (identity, key, self.uri, self.card) = (found.identity, found.key, text, card)
    }

    private static func open(_ uri: PKCS11URI, _ pin: SharedSecret?) throws -> SmartCard {
        var options = SmartCardOptions()
        options.waitLimit = limit
        return try Blocking.run { [options] in try await SmartCard.open(uri, pin: pin, options: options) }
    }

    /// Ends the session, and waits until it has ended: SoftHSM may hold a process that ends meanwhile. Blocks the calling thread.
    func close() { try? Blocking.run { await card.close() } }
}
