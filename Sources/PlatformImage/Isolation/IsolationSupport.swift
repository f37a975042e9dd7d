internal import CPlatformImageSandbox

/// The features of this machine that decode workers use, as the kernel reports them.
///
/// The report does not prove that a worker can start: a container can forbid system calls that the kernel supports.
package struct IsolationSupport: Sendable {
    /// Release of the kernel, such as `6.1.0-18-amd64`; empty on other systems than Linux.
    package let kernel: String
    /// The kernel has seccomp filters; workers need them.
    package let hasSystemCallFilter: Bool
    /// Version of the Landlock ABI; 0 when the kernel has no Landlock, or when it is disabled.
    package let landlockVersion: Int
    /// The kernel has anonymous shared memory (memfd_create); workers need it.
    package let hasMemoryFiles: Bool
    /// The kernel has handles of processes (pidfd_open).
    package let hasProcessHandles: Bool
    /// Seccomp mode of the calling process: 0 none, 1 strict, 2 filter, as in most containers.
    package let seccompMode: Int
    /// The calling process cannot gain privileges (no_new_privs).
    package let hasNoNewPrivileges: Bool

    /// The features of the machine at the time of the call.
    package init() {
        var support = pisb_support()
        unsafe pisb_read_support(&support)
        // The C function terminates the text with a zero byte.
        kernel = unsafe withUnsafeBytes(of: &support.kernel) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        hasSystemCallFilter = support.seccomp_filter
        landlockVersion = Int(support.landlock)
        hasMemoryFiles = support.memfd
        hasProcessHandles = support.process_handles
        seccompMode = Int(support.seccomp_mode)
        hasNoNewPrivileges = support.no_new_privileges
    }
}
