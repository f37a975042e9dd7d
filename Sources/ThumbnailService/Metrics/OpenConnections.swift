#if Service
import HummingbirdCore

/// Counts connections, and holds back new ones while there are as many as there may be.
struct OpenConnections: AvailableConnectionsDelegate {
    private let most: Int
    private let metrics: ServiceMetrics
    private var count = 0

    init(atMost most: Int, metrics: ServiceMetrics) {
        self.most = most
        self.metrics = metrics
    }

    mutating func connectionOpened() {
        count += 1
        metrics.connectionOpened()
    }

    mutating func connectionClosed() {
        count -= 1
        metrics.connectionClosed()
    }

    func isAcceptingNewConnections() -> Bool { count < most }
}
#endif
