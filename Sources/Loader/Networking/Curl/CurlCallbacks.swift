internal import CPlatformImageCurl

/// The C functions that call the methods of a transfer. A transfer exists until its handle is freed, so the references
/// are valid.
enum CurlCallbacks {
    /// Creates a table of the functions, which the caller frees.
    static func makeTable() -> UnsafeMutablePointer<picu_callbacks> {
        let table = UnsafeMutablePointer<picu_callbacks>.allocate(capacity: 1)
        table.initialize(
            to: picu_callbacks(
                line: { context, bytes, count in
                    transfer(context).receiveLine(UnsafeBufferPointer(start: bytes, count: count))
                },
                body: { context, bytes, count in
                    transfer(context).receiveBody(UnsafeBufferPointer(start: bytes, count: count))
                },
                admits: { context, address in
                    guard let address else { return false }
                    return transfer(context).admits(address)
                },
                repeats: { context, isReused, hasResponse in
                    transfer(context).repeats(isReused: isReused, hasResponse: hasResponse)
                },
                sends: { context in transfer(context).sends() }))
        return table
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
    guard let context else { preconditionFailure("libcurl lost the context of a transfer") }
    return Unmanaged.fromOpaque(context).takeUnretainedValue()
}
