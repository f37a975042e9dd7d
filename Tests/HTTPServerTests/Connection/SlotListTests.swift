import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

@Suite struct SlotListTests {
    /// Compared with a sorted array.
    @Test func frontIsTheLowestKeyAfterRandomInsertionsAndRemovals() {
        var list = SlotList()
        var model: [(slot: Int, key: UInt64)] = []
        var random = SplitMix(seed: 4)
        for _ in 0..<20_000 {
            let slot = Int.random(in: 0..<40, using: &random)
            model.removeAll { $0.slot == slot }
            if Bool.random(using: &random) {
                let key = UInt64.random(in: 0..<50, using: &random)
                list.insert(slot, key: key)
                let index = model.firstIndex { $0.key > key } ?? model.count
                model.insert((slot, key), at: index)
            } else {
                list.remove(slot)
            }
            #expect(list.front?.slot == model.first?.slot)
            #expect(list.front?.key == model.first?.key)
            #expect(list.isEmpty == model.isEmpty)
            #expect(list.contains(slot) == model.contains { $0.slot == slot })
            #expect(list.key(of: slot) == model.first { $0.slot == slot }?.key)
        }
        list.remove(1_000)
    }
}
