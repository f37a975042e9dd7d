import CPlatformImageUV

/// The listening sockets of an address: one for each loop, between which the kernel distributes connections. The loops
/// share the socket where the kernel cannot do that: for Unix sockets, and on systems other than Linux.
struct ListeningSockets: Sendable {
    /// One socket per loop.
    let sockets: [Socket]
    /// The port; 0 for a Unix socket.
    let port: Int

    init(_ listener: ServerConfiguration.Listener, loops: Int) throws(ServerError) {
        switch listener {
        case .unix(let path):
            let socket = Socket(try Self.checked(unsafe piuv_bind_path(path), path))
            (sockets, port) = ([Socket](repeating: socket, count: loops), 0)
            _ = try Self.checked(piuv_listen(socket.descriptor), path)
        case .tcp(let host, let port): (sockets, self.port) = try Self.bind(host, port, loops)
        }
    }

    private static func bind(_ host: String, _ port: Int, _ loops: Int) throws(ServerError) -> ([Socket], Int) {
        let name = "\(host):\(port)"
        guard let port = UInt16(exactly: port) else {
            throw ServerError("cannot listen on \(name)", "the port is not 0 to 65535")
        }
        var address = piuv_address()
        var message: UnsafePointer<CChar>?
        guard unsafe piuv_resolve(host, port, &address, &message) == 0 else {
            let reason = unsafe message.map { unsafe String(cString: $0) } ?? ""
            throw ServerError("cannot listen on \(name)", reason)
        }
        // The first socket does not share its port: with SO_REUSEPORT, a second process of this user would silently get
        // a part of the connections of the first.
        let first = Socket(try checked(unsafe piuv_bind(&address, false), name))
        try checked(piuv_listen(first.descriptor), name)
        let bound = Int(try checked(piuv_local_port(first.descriptor), name))
        #if os(Linux)
        guard loops > 1 else { return ([first], bound) }
        address.port = UInt16(truncatingIfNeeded: bound)
        try checked(piuv_share_port(first.descriptor), name)
        var sockets: [Socket] = []
        for _ in 0..<loops {
            let socket = Socket(try checked(unsafe piuv_bind(&address, true), name))
            try checked(piuv_listen(socket.descriptor), name)
            sockets.append(socket)
        }
        // The first socket listened before it shared its port, so the kernel does not distribute connections to it. It
        // is closed here.
        return (sockets, bound)
        #else
        return ([Socket](repeating: first, count: loops), bound)
        #endif
    }

    @discardableResult
    private static func checked(_ result: Int32, _ name: String) throws(ServerError) -> Int32 {
        guard result >= 0 else { throw ServerError("cannot listen on \(name)", "\(SystemError(code: result))") }
        return result
    }
}
