public import Hostnames

/// Several lists, one above the other, such as those of an organisation, a team and a user.
///
/// The first layer grants. A later one takes away what it says no to, and grants only where it was made with `mayWiden`;
/// where it has no rule for a host, it has no say. So with
///
/// ```text
/// organisation   *.host.example
/// team           !hr.host.example
///                wiki.host.example/public
/// user           other.example
/// ```
///
/// `hr.host.example` is denied by the team, the wiki is allowed below `/public` alone, and `other.example` stays denied, since
/// the user's list may only narrow. A layer asks its rules as ``SiteTrie`` does: the most specific host decides.
public struct LayeredSites: Sendable {
    /// The layers, the first one granting.
    public let layers: [Layer]

    /// One layer.
    public struct Layer: Sendable {
        /// What the layer is called.
        public let name: String
        /// Its rules.
        public let sites: SiteTrie
        /// Whether the layer may allow what the ones before it do not.
        public let mayWiden: Bool

        /// Makes a layer.
        ///
        /// - Parameter mayWiden: ignored for the first layer, which has nothing to widen.
        public init(name: String, sites: SiteTrie, mayWiden: Bool = false) {
            self.name = name
            self.sites = sites
            self.mayWiden = mayWiden
        }
    }

    /// How many layers there may be.
    public static let maximumCount = 16

    /// Puts layers on top of each other, or returns `nil` if there are more than ``maximumCount``.
    ///
    /// Without any layer, everything is denied.
    public init?(_ layers: [Layer]) {
        guard layers.count <= Self.maximumCount else { return nil }
        self.layers = layers
    }
}

/// An answer of ``LayeredSites``, and the layers it came from.
public struct LayeredVerdict: Equatable, Sendable {
    /// The answer; the line of its rule is one of the list of ``layer``.
    public let answer: SiteVerdict
    /// The layer that gave the answer, or `nil` where no layer has a rule.
    public let layer: Int?
    /// The first layer that would have allowed what is denied, but may only narrow.
    public let unheard: Unheard?

    package init(answer: SiteVerdict, layer: Int?, unheard: Unheard?) {
        self.answer = answer
        self.layer = layer
        self.unheard = unheard
    }

    /// A rule that was not listened to.
    public struct Unheard: Equatable, Sendable {
        /// The layer of the rule.
        public let layer: Int
        /// The rule.
        public let rule: RuleReference
    }
}

extension LayeredSites {
    /// Whether credentials may go to `path` at `origin`.
    ///
    /// - Parameters:
    ///   - origin: scheme, host and port of the request.
    ///   - path: the raw path of the request, as for ``SiteTrie/verdict(for:path:)``.
    /// - Complexity: a lookup in every layer. Allocates nothing.
    public func verdict(for origin: Origin, path: String) -> LayeredVerdict {
        verdict { $0.verdict(for: origin, path: path) }
    }

    /// The verdict of all layers, each of which answers by `ask`.
    @inline(__always)
    private func verdict(_ ask: (SiteTrie) -> SiteVerdict) -> LayeredVerdict {
        var answer = SiteVerdict.denied(.noRule)
        var deciding: Int?
        var unheard: LayeredVerdict.Unheard?
        // Elements of a span are not retained.
        let layers = layers.span
        for index in layers.indices {
            let own = ask(layers[index].sites)
            switch own {
            case .allowed(let rule):
                if index == 0 || layers[index].mayWiden {
                    (answer, deciding) = (own, index)
                } else if !answer.isAllowed, unheard == nil {
                    unheard = LayeredVerdict.Unheard(layer: index, rule: rule)
                }
            case .denied(let denial):
                // Whoever says no first is the one to ask about it.
                if deciding == nil || answer.isAllowed, layers[index].speaks(in: denial) {
                    (answer, deciding) = (own, index)
                }
            case .invalid:
                return LayeredVerdict(answer: own, layer: index, unheard: nil)
            }
        }
        return LayeredVerdict(answer: answer, layer: deciding, unheard: answer.isAllowed ? nil : unheard)
    }

    /// Whether credentials may go to `url`, an absolute `http` or `https` URL.
    ///
    /// - Complexity: that of ``verdict(for:path:)``, and O(*n*) in the length of `url`.
    public func verdict(forURL url: String) -> LayeredVerdict {
        unsafe url.utf8.withContiguousStorageIfAvailable { unsafe verdict(forURL: $0) } ?? verdict(copying: url)
    }

    /// A string of Objective-C has its bytes elsewhere.
    @inline(never)
    private func verdict(copying url: String) -> LayeredVerdict {
        let bytes = Array(url.utf8)
        return unsafe bytes.withUnsafeBufferPointer { unsafe verdict(forURL: $0) }
    }

    /// ``verdict(forURL:)`` for those who have no `String` of a URL.
    ///
    /// - Parameters:
    ///   - url: the bytes of the URL.
    ///   - hosts: how its host is read.
    package func verdict(forURL url: UnsafeBufferPointer<UInt8>, hosts: HostReader = .ascii) -> LayeredVerdict {
        if let plain = unsafe PlainURL(url) {
            return verdict { sites in unsafe sites.verdict(plain, of: url) }
        }
        do throws(URLLocationError) {
            let location = try unsafe URLLocation(parsing: url.span, hosts: hosts)
            return verdict(for: location.origin, path: location.path)
        } catch {
            return LayeredVerdict(answer: .invalid(error), layer: nil, unheard: nil)
        }
    }

    /// The rule that decided, or came nearest to fitting.
    public func rule(of verdict: LayeredVerdict) -> SiteRule? {
        guard let layer = verdict.layer, let reference = verdict.answer.rule else { return nil }
        return layers[layer].sites.rule(at: reference)
    }

    /// One line with the answer, its list and line, and the rule that was not listened to.
    public func description(of verdict: LayeredVerdict) -> String {
        var text: [UInt8] = []
        append(verdict, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends that line without its end: who writes millions of them has no time for the strings of each.
    package func append(_ verdict: LayeredVerdict, to text: inout [UInt8]) {
        verdict.answer.append(to: &text, list: verdict.layer.map { layers[$0].listName(of: verdict.answer.rule) })
        if let unheard = verdict.unheard {
            let place = "line \(unheard.rule.line) of \(layers[unheard.layer].listName(of: unheard.rule))"
            text.append(contentsOf: "; \(place) would allow it, but may only narrow".utf8)
        }
    }

    /// Explains ``verdict(for:path:)``: what each layer looked at, and what came of it.
    public func explain(_ origin: Origin, path: String) -> [(layer: String, explanation: SiteExplanation)] {
        layers.map { ($0.name, $0.sites.explain(origin, path: path)) }
    }
}

extension LayeredSites.Layer {
    /// What to call the list of a rule: its line is one of a list, and an image may have several.
    fileprivate func listName(of rule: RuleReference?) -> String {
        guard sites.hasSeveralLists, let list = rule.flatMap(sites.listName) else { return name }
        return "\(list) in \(name)"
    }

    /// Whether a denial is the layer's word on the host, rather than silence.
    fileprivate func speaks(in denial: SiteVerdict.Denial) -> Bool {
        switch denial {
        case .noRule: false
        case .exception: true
        // An exception that does not fit takes nothing away; an allowing rule says what is meant of its host.
        case .otherScheme(let rule), .otherPort(let rule), .otherPath(let rule), .uncertainPath(let rule):
            sites.rule(at: rule)?.isException == false
        }
    }
}
