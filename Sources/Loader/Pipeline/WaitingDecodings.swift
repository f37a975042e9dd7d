#if Loader
internal import PlatformImage
internal import Synchronization

/// The decodings of the loads that wait for each running fetch, so that one decode makes the thumbnails of all of them.
final class WaitingDecodings: Sendable {
    private struct State {
        /// By number, which increases.
        var decodings: [FetchKey: [UInt64: Load.Decoding]] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Number of fetches with waiting decodings, for tests.
    var count: Int { state.locked(in: self) { $0.decodings.count } }

    /// Adds the decoding of a load; returns its number for ``remove(_:from:)``.
    func add(_ decoding: Load.Decoding, to key: FetchKey) -> UInt64 {
        state.locked(in: self) { state in
            state.lastNumber += 1
            state.decodings[key, default: [:]][state.lastNumber] = decoding
            return state.lastNumber
        }
    }

    func remove(_ number: UInt64, from key: FetchKey) {
        state.locked(in: self) { state in
            state.decodings[key]?[number] = nil
            if state.decodings[key]?.isEmpty == true { state.decodings[key] = nil }
        }
    }

    func list(_ key: FetchKey) -> List { List(waiting: self, key: key) }

    /// The decodings that wait for one fetch.
    struct List: Sendable {
        fileprivate let waiting: WaitingDecodings
        fileprivate let key: FetchKey

        /// One decoding of each variant that waits now, in the order in which the loads joined.
        var decodings: [Load.Decoding] {
            let all = waiting.state.locked(in: waiting) { $0.decodings[key] ?? [:] }
            var names: Set<String> = []
            return all.sorted { $0.key < $1.key }.map(\.value).filter { names.insert($0.variant).inserted }
        }
    }
}
#endif
