internal import Hostnames
internal import SallyportNIO
internal import ServiceSockets

extension FrontProxy {
    /// What to put into the proxy's own configuration, so that it asks a gateway at `address`.
    ///
    /// The client's own fields with our names are replaced, and its `Authorization` goes to the gateway alone, in each location that has all of it.
    public func configuration(asking address: GatewayAddress) -> String {
        switch self {
        case .nginx: Self.nginx(address)
        case .caddy: Self.caddy(address)
        case .envoy: Self.envoy(address)
        }
    }

    private static func nginx(_ address: GatewayAddress) -> String {
        """
        # In http { }. Connections are kept: without that each request costs nginx three times as much.
        upstream sallyport_gateway {
            server \(address);
            keepalive 32;
        }

        # In server { }.
        location = /_sallyport {
            internal;
            auth_request off;
            # Lines of server { } that could turn a no into a yes end here.
            error_page 599 /_sallyport;
            proxy_intercept_errors off;
            proxy_cache off;
            proxy_pass http://sallyport_gateway/;
            proxy_http_version 1.1;
            proxy_pass_request_body off;
            # Only what stands here goes to the gateway, so a client cannot say who it is.
            proxy_pass_request_headers off;
            proxy_set_header Connection "";
            proxy_set_header Content-Length "";
            proxy_set_header Host gateway;
            proxy_set_header \(ToldField.originalMethod.rawValue) $request_method;
            proxy_set_header \(ToldField.originalTarget.rawValue) $request_uri;
            proxy_set_header \(ToldField.clientAddress.rawValue) $remote_addr;
            proxy_set_header \(ToldField.forwardedScheme.rawValue) $scheme;
            proxy_set_header Authorization $http_authorization;
        }

        # In each location { } to protect, beside its proxy_pass. Repeat all lines in nested and named ones: a location that has one
        # proxy_set_header or add_header takes none from outside, so also write here what else the server needs, such as Host.
        auth_request /_sallyport;
        auth_request_set $sallyport_user $upstream_http_x_sallyport_user;
        auth_request_set $sallyport_domain $upstream_http_x_sallyport_domain;
        auth_request_set $sallyport_scheme $upstream_http_x_sallyport_scheme;
        auth_request_set $sallyport_information $upstream_http_authentication_info;
        auth_request_set $sallyport_token $upstream_http_www_authenticate;
        proxy_set_header X-Sallyport-User $sallyport_user;
        proxy_set_header X-Sallyport-Domain $sallyport_domain;
        proxy_set_header X-Sallyport-Scheme $sallyport_scheme;
        proxy_set_header Authorization "";
        add_header Authentication-Info $sallyport_information always;
        add_header WWW-Authenticate $sallyport_token;

        """
    }

    private static func caddy(_ address: GatewayAddress) -> String {
        let place =
            switch address {
            case .socket(let path): "unix/\(path)"
            case .loopback(let address): "\(address)"
            }
        return """
            # In the block of a site, around its reverse_proxy.
            route {
                # Also with _ for -, which many servers read alike, and what a client lets Caddy drop.
                request_header -*sallyport*
                request_header Connection (?i)x-sallyport-[a-z]* ""
                forward_auth \(place) {
                    uri /
                    # No body goes with a check, and a client cannot say who it is.
                    header_up -Content-Length
                    header_up -Transfer-Encoding
                    header_up \(ToldField.forwardedTarget.rawValue) {http.request.orig_uri}
                    copy_headers X-Sallyport-User X-Sallyport-Domain X-Sallyport-Scheme
                }
                request_header -Authorization
                # Your reverse_proxy goes here.
            }

            """
    }

    private static func envoy(_ address: GatewayAddress) -> String {
        let place =
            switch address {
            case .socket(let path): "pipe: { path: \(path) }"
            case .loopback(let address):
                "socket_address: { address: \"\(address.host.withoutBrackets)\", port_value: \(address.port) }"
            }
        let type = "\"@type\": type.googleapis.com/envoy.extensions.filters.http"
        return """
            # In the typed_config of the http_connection_manager. Many servers read _ like -, so a client's own fields could pass.
            use_remote_address: true
            xff_num_trusted_hops: 0
            skip_xff_append: false
            # A path that a server reads as another one would be checked, or not checked, as that other one.
            normalize_path: true
            merge_slashes: true
            path_with_escaped_slashes_action: REJECT_REQUEST
            common_http_protocol_options: { headers_with_underscores_action: REJECT_REQUEST }

            # In its http_filters, before the router.
            - name: sallyport-before
              typed_config:
                \(type).header_mutation.v3.HeaderMutation
                mutations:
                  request_mutations:
                    - remove: x-sallyport-user
                    - remove: x-sallyport-domain
                    - remove: x-sallyport-scheme
            - name: sallyport
              typed_config:
                \(type).ext_authz.v3.ExtAuthz
                allowed_headers:
                  patterns: [{ exact: authorization }, { exact: x-forwarded-for }, { exact: x-forwarded-proto }]
                http_service:
                  server_uri: { uri: "http://sallyport", cluster: sallyport, timeout: 6s }
                  authorization_response:
                    allowed_upstream_headers:
                      patterns: [{ exact: x-sallyport-user }, { exact: x-sallyport-domain }, { exact: x-sallyport-scheme }]
                    allowed_client_headers: { patterns: [{ exact: www-authenticate }, { exact: retry-after }] }
                    allowed_client_headers_on_success:
                      patterns: [{ exact: www-authenticate }, { exact: authentication-info }]
            - name: sallyport-after
              typed_config:
                \(type).header_mutation.v3.HeaderMutation
                mutations: { request_mutations: [{ remove: authorization }] }

            # In clusters.
            - name: sallyport
              typed_extension_protocol_options:
                envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                  "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                  explicit_http_config: { http_protocol_options: {} }
                  # Shorter than the gateway keeps a connection.
                  common_http_protocol_options: { idle_timeout: 60s }
              load_assignment:
                cluster_name: sallyport
                endpoints: [{ lb_endpoints: [{ endpoint: { address: { \(place) } } }] }]

            """
    }
}
