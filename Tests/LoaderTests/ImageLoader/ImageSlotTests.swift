import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// `ImageSlot` with loads whose events the test sends one by one.
@Suite(.timeLimit(.minutes(30)))
struct ImageSlotTests {
    /// A source that records loads and cancellations by URL; the test sends the events.
    private final class Loads: ImageSlotSource {
        struct Load: Sendable {
            let request: ImageRequest
            let channel: LoadChannel<LoadEvent>
        }

        let inMemory = Locked<[String: PlatformImage]>([:])
        let started = Locked<[Load]>([])
        let cancelled = Locked<[String]>([])

        func cachedImage(for request: ImageRequest, layers: CacheLayers) -> LoadedImage? {
            guard layers == .memory, let sourceImage = inMemory.value[request.url] else { return nil }
            return LoadedImage(showing: sourceImage, source: .memory, isFresh: true)
        }

        func events(for request: ImageRequest) -> LoadEventStream {
            let steps = LoadChannel<LoadEvent>()
            started.update { $0.append(Load(request: request, channel: steps)) }
            return LoadEventStream { [cancelled] channel in
                await withTaskCancellationHandler {
                    while let step = await steps.next() { channel.send(step) }
                } onCancel: {
                    cancelled.update { $0.append(request.url) }
                    steps.send(.finished(.failure(.cancelled())))
                    steps.close()
                }
            }
        }

        func send(_ event: LoadEvent, to load: Int) {
            let channel = started.value[load].channel
            channel.send(event)
            if event.isLast { channel.close() }
        }
    }

    private let loads = Loads()
    private let gray = bitmap(1)

    /// An image that is identified by its width.
    private static func bitmap(_ width: Int) -> PlatformImage {
        PlatformImage(width: width, height: 1) { (_: inout MutableSpan<UInt8>) in }
    }

    private func image(_ width: Int, _ source: LoadSource, isFresh: Bool = true) -> LoadedImage {
        LoadedImage(showing: Self.bitmap(width), source: source, isFresh: isFresh)
    }

    /// A short description of the state.
    private func shown(_ state: ImageSlot.State) -> String {
        switch state {
        case .empty: "empty"
        case .placeholder(let bitmap): "placeholder \(bitmap.width)"
        case .loading(let received, let expected, _): "loading \(received)/\(expected.map { "\($0)" } ?? "?")"
        case .image(let bitmap, let source, let isFresh, let isImmediate):
            "image \(bitmap.width) \(source) \(isFresh ? "fresh" : "stale")\(isImmediate ? " at once" : "")"
        case .failed(let error, let last, _): "failed \(error.code)\(last.map { " over \($0.width)" } ?? "")"
        }
    }

    /// Cancelling an observer and assigning to the slot at the same time must not deadlock.
    @Test func cancellingAStateObserverDuringAnAssignmentDoesNotDeadlock() async {
        for _ in 0..<500 {
            let slot = ImageSlot(loader: loads)
            let watching = Task { [states = slot.states] in
                for await _ in states {}
            }
            let changing = Task { [gray] in
                for _ in 0..<20 { slot.assign(nil, placeholder: gray) }
            }
            await Task.yield()
            watching.cancel()
            await changing.value
            await watching.value
        }
    }

    /// Waits until the slot's state has this description; the suite's time limit bounds the wait.
    private func until(_ slot: ImageSlot, shows wanted: String) async {
        await yieldUntil { shown(slot.state) == wanted }
    }

    @Test(.requirement("O61")) func slotStateIsPlaceholderThenLoadingThenImageDuringALoad() async throws {
        let slot = ImageSlot(loader: loads)
        #expect(shown(slot.state) == "empty")
        slot.assign(ImageRequest(url: "a"), placeholder: gray)
        #expect(shown(slot.state) == "placeholder 1")
        #expect(!slot.isBusy)

        loads.send(.sendingRequest(didHaveCachedImage: false), to: 0)
        await until(slot, shows: "loading 0/?")
        #expect(slot.isBusy)
        #expect(slot.state.bitmap?.width == 1)
        loads.send(.progress(received: 5, expected: 10), to: 0)
        await until(slot, shows: "loading 5/10")
        loads.send(.retrying(attempt: 2, delay: .zero, reason: .transport("")), to: 0)
        await until(slot, shows: "loading 0/?")
        loads.send(.finished(.success(image(20, .networkToDisk))), to: 0)
        await until(slot, shows: "image 20 networkToDisk fresh")
        #expect(!slot.isBusy)
    }

    @Test(.requirement("O79")) func freshImageInMemoryIsShownImmediatelyWithoutPlaceholderOrLoad() async {
        loads.inMemory.update { $0["a"] = Self.bitmap(9) }
        let slot = ImageSlot(loader: loads)
        let watching = Task { [states = slot.states] in
            var seen: [String] = []
            for await state in states {
                seen.append(shown(state))
                if seen.last?.hasPrefix("image") == true { break }
            }
            return seen
        }
        slot.assign(ImageRequest(url: "a"), placeholder: gray)

        #expect(shown(slot.state) == "image 9 memory fresh at once")
        #expect(loads.started.value.isEmpty)
        #expect(await !watching.value.contains("placeholder 1"))
    }

    @Test(.requirement("O60", "O88")) func assignmentWithoutURLShowsThePlaceholderAndLoadsNothing() {
        let slot = ImageSlot(loader: loads)
        for request in [nil, ImageRequest(url: "")] {
            slot.assign(request, placeholder: gray)
            #expect(shown(slot.state) == "placeholder 1")
            slot.assign(request)
            #expect(shown(slot.state) == "empty")
        }
        #expect(loads.started.value.isEmpty)
    }

    /// Sends the events of two loads in every possible order; the slot shows the result of the later assignment.
    @Test(.requirement("O60")) func slotShowsTheImageOfTheLatestAssignmentInEveryEventOrder() async throws {
        let first: [LoadEvent] = [
            .cached(image(10, .disk, isFresh: false)), .sendingRequest(didHaveCachedImage: true),
            .finished(.success(image(11, .networkToDisk))),
        ]
        let second: [LoadEvent] = [
            .cached(image(20, .disk, isFresh: false)), .sendingRequest(didHaveCachedImage: true),
            .finished(.success(image(21, .networkToDisk))),
        ]
        // A set bit sends the next event of the first load, a clear bit the next event of the second load.
        for order in 0..<64 where order.nonzeroBitCount == 3 {
            let loads = Loads()
            let slot = ImageSlot(loader: loads)
            slot.assign(ImageRequest(url: "first"))
            slot.assign(ImageRequest(url: "second"), placeholder: gray)
            var next = [0, 0]
            for step in 0..<6 {
                let load = order >> step & 1 == 1 ? 0 : 1
                loads.send(load == 0 ? first[next[0]] : second[next[1]], to: load)
                next[load] += 1
                if load == 1 {
                    await until(slot, shows: next[1] < 3 ? "image 20 disk stale" : "image 21 networkToDisk fresh")
                }
                #expect(!shown(slot.state).contains("image 1"))
            }
            #expect(shown(slot.state) == "image 21 networkToDisk fresh")
            #expect(loads.cancelled.value.isEmpty)
        }
    }

    @Test(.requirement("O59", "O60"))
    func newAssignmentCancelsThePreviousLoadOnlyIfCancelsPreviousIsTrue() async throws {
        for cancels in [false, true] {
            let loads = Loads()
            let slot = ImageSlot(loader: loads, cancelsPrevious: cancels)
            slot.assign(ImageRequest(url: "a"))
            slot.assign(ImageRequest(url: "b"))
            if cancels { await yieldUntil { loads.cancelled.value == ["a"] } }
            loads.send(.finished(.success(image(5, .networkToDisk))), to: 1)
            await until(slot, shows: "image 5 networkToDisk fresh")
            #expect(loads.cancelled.value == (cancels ? ["a"] : []))
        }
    }

    @Test(.requirement("O60")) func staleImageIsShownWithoutBusyStateAndIsFreshAfterA304() async throws {
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"))
        loads.send(.cached(image(7, .disk, isFresh: false)), to: 0)
        loads.send(.sendingRequest(didHaveCachedImage: true), to: 0)
        await until(slot, shows: "image 7 disk stale")
        #expect(!slot.isBusy)

        // The event of the 304 response contains another image; the slot does not replace the image that it shows.
        loads.send(.finished(.success(image(8, .networkNotModified))), to: 0)
        await until(slot, shows: "image 7 networkNotModified fresh")
    }

    @Test func failedLoadKeepsTheShownStaleImage() async throws {
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"), placeholder: gray)
        loads.send(.cached(image(7, .memory, isFresh: false)), to: 0)
        loads.send(.finished(.failure(.transport("reset"))), to: 0)
        await until(slot, shows: "failed transport over 7")
        #expect(slot.state.bitmap?.width == 7)

        slot.assign(ImageRequest(url: "b"), placeholder: gray)
        loads.send(.sendingRequest(didHaveCachedImage: false), to: 1)
        loads.send(.finished(.failure(.transport("reset"))), to: 1)
        await until(slot, shows: "failed transport")
        #expect(slot.state.bitmap?.width == 1)
        #expect(!slot.isBusy)
    }

    @Test func slotShowsTheBitmapReturnedByTheOnPresentClosure() async throws {
        let calls = Locked(0)
        let slot = ImageSlot(loader: loads) { sourceImage in
            calls.update { $0 += 1 }
            return Self.bitmap(sourceImage.width * 10)
        }
        slot.assign(ImageRequest(url: "a"))
        loads.send(.cached(image(2, .disk, isFresh: false)), to: 0)
        await until(slot, shows: "image 20 disk stale")
        loads.send(.finished(.success(image(2, .networkNotModified))), to: 0)
        await until(slot, shows: "image 20 networkNotModified fresh")
        #expect(calls.value == 1)

        loads.inMemory.update { $0["b"] = Self.bitmap(3) }
        slot.assign(ImageRequest(url: "b"))
        #expect(shown(slot.state) == "image 30 memory fresh at once")
    }

    @Test(.requirement("O79")) func resultIsDiscardedWhenTheValidityCheckOfItsAssignmentFails() async throws {
        let isValid = Locked(true)
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"), placeholder: gray) { isValid.value }
        loads.send(.sendingRequest(didHaveCachedImage: false), to: 0)
        await until(slot, shows: "loading 0/?")

        isValid.update { $0 = false }
        loads.send(.finished(.success(image(5, .networkToDisk))), to: 0)
        await until(slot, shows: "placeholder 1")
        #expect(!slot.isBusy)
    }

    @Test(.requirement("O77")) func readingTheStateOfASlotWhoseImageWasReleasedStartsItsLoadAgain() async throws {
        let slot = ImageSlot(loader: loads)
        var request = ImageRequest(url: "a")
        request.policy = .reload
        slot.assign(request, placeholder: gray)
        slot.release()
        #expect(loads.started.value.count == 1, "no image was shown, so no image was released")
        loads.send(.finished(.success(image(5, .networkToDisk))), to: 0)
        await until(slot, shows: "image 5 networkToDisk fresh")

        slot.release()
        slot.release()
        #expect(loads.started.value.count == 1)
        #expect(shown(slot.state) == "placeholder 1")
        #expect(loads.started.value.map(\.request.policy) == [.reload, .default])
        loads.send(.finished(.success(image(6, .disk))), to: 1)
        await until(slot, shows: "image 6 disk fresh")

        slot.release()
        loads.inMemory.update { $0["a"] = Self.bitmap(5) }
        #expect(shown(slot.state) == "image 5 memory fresh at once")
    }

    @Test func loadEventsAfterASlotReleasedItsImageAreIgnored() async throws {
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"))
        var states = slot.states.makeAsyncIterator()
        slot.receive(.cached(image(5, .disk, isFresh: false)), as: 1)
        #expect(await states.next().map(shown) == "image 5 disk stale")

        slot.release()
        slot.receive(.finished(.success(image(6, .networkToDisk))), as: 1)

        #expect(await states.next().map(shown) == "empty")
        #expect(loads.started.value.count == 1)
    }

    @Test(.requirement("O77")) func memoryPressureReleasesOnlyImagesOfInvisibleSlots() throws {
        loads.inMemory.update { $0["a"] = Self.bitmap(5) }
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"))
        loads.inMemory.update { $0 = [:] }

        slot.relieveMemoryPressure()
        #expect(shown(slot.state) == "image 5 memory fresh at once")
        slot.isVisible = false
        slot.relieveMemoryPressure()
        #expect(shown(slot.state) == "empty")
        #expect(loads.started.value.count == 1)
    }

    @Test func stateObserverReceivesTheCurrentAndThenTheLatestState() async throws {
        let slot = ImageSlot(loader: loads)
        slot.assign(ImageRequest(url: "a"), placeholder: gray)
        var states = slot.states.makeAsyncIterator()
        #expect(await states.next().map(shown) == "placeholder 1")

        loads.send(.sendingRequest(didHaveCachedImage: false), to: 0)
        await until(slot, shows: "loading 0/?")
        loads.send(.finished(.failure(.transport(""))), to: 0)
        await until(slot, shows: "failed transport")
        #expect(await states.next().map(shown) == "failed transport")
    }

    @Test func deallocatedSlotAlwaysEndsItsStateSequenceButCancelsItsLoadOnlyIfCancelsPreviousIsTrue() async throws {
        for cancels in [false, true] {
            let loads = Loads()
            var slot: ImageSlot? = ImageSlot(loader: loads, cancelsPrevious: cancels)
            weak let gone = slot
            slot?.assign(ImageRequest(url: "a"))
            var states = try #require(slot).states.makeAsyncIterator()
            slot = nil

            // The unread state, then the end of the sequence.
            #expect(await states.next().map(shown) == "empty")
            #expect(await states.next() == nil)
            #expect(gone == nil)
            if cancels { await yieldUntil { loads.cancelled.value == ["a"] } }
            loads.send(.finished(.failure(.transport(""))), to: 0)
            #expect(loads.cancelled.value == (cancels ? ["a"] : []))
        }
    }
}

extension LoadedImage {
    /// An image without encoded data.
    fileprivate init(showing bitmap: PlatformImage, source: LoadSource, isFresh: Bool) {
        let image = DecodedImage(bitmap)
        self.init(
            bitmap: image.bitmap, header: image.header, decodeStatus: image.status, source: source, isFresh: isFresh,
            isStored: true, staleReason: nil, status: 200, responseFields: ResponseFields([:]), encodedData: nil,
            timings: LoadTimings())
    }
}
