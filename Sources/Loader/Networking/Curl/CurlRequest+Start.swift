internal import CPlatformImageCurl

extension CurlRequest {
    /// Starts a transfer of libcurl with this request. Returns libcurl's code, 0 for success.
    ///
    /// - Parameters:
    ///   - usesHTTP2: True offers HTTP/2.
    ///   - isFresh: True requires a new connection.
    func start(_ transfer: OpaquePointer, usesHTTP2: Bool, isFresh: Bool) -> Int32 {
        // Without the callback for repeated requests, only a new connection prevents that libcurl repeats one.
        let isFresh = isFresh || (picu_version() < 0x075000 && !isGet)
        let address = host.address.map { $0.contains(":") ? "::[\($0)]:" : "::\($0):" }
        let credentials = proxy?.credentials
        return text.withUnsafeBytes { text in
            Self.withText(address) { address in
                Self.withText(proxy?.host) { proxyHost in
                    Self.withText(credentials?.user) { user in
                        Self.withText(credentials?.password) { password in
                            withRoots { roots in
                                let strings = text.assumingMemoryBound(to: CChar.self)
                                var request = picu_request()
                                request.url = strings.baseAddress
                                request.target = strings.baseAddress.map { $0 + targetOffset }
                                request.method = isGet || isHead ? nil : strings.baseAddress.map { $0 + methodOffset }
                                request.is_head = isHead
                                request.fields = strings.baseAddress.map { $0 + fieldsOffset }
                                request.field_count = fieldCount
                                request.address = address
                                request.proxy_host = proxyHost
                                request.proxy_port = proxy?.port ?? 0
                                request.proxy_user = user
                                request.proxy_password = password
                                request.verifies = verifies
                                request.roots_id = UInt64(roots.count == 0 ? 0 : self.roots?.number ?? 0)
                                request.roots = roots.baseAddress
                                request.roots_size = roots.count
                                request.uses_http2 = usesHTTP2
                                request.is_fresh = isFresh
                                request.connect_milliseconds = Int(Int32(clamping: connectMilliseconds))
                                return picu_transfer_start(transfer, &request)
                            }
                        }
                    }
                }
            }
        }
    }

    private static func withText(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Int32) -> Int32 {
        guard let text else { return body(nil) }
        return text.withCString(body)
    }

    private func withRoots(_ body: (UnsafeBufferPointer<CChar>) -> Int32) -> Int32 {
        guard let roots else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
        return roots.pem.withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self)) }
    }
}
