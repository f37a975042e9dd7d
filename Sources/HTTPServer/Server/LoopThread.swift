import CPlatformImageUV

/// The thread of a loop.
enum LoopThread {
    private final class Start: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    static func start(_ run: @escaping @Sendable () -> Void) throws(SystemError) {
        let start = unsafe Unmanaged.passRetained(Start(run))
        let status = unsafe piuv_thread_start(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run()
            }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            throw SystemError(code: status)
        }
    }
}
