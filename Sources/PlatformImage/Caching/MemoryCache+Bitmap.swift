extension MemoryCache where Value == Bitmap {
    /// Stores a bitmap as the most recently used value, with its ``Bitmap/byteCount`` as the cost.
    ///
    /// - Parameters:
    ///   - bitmap: The bitmap to store.
    ///   - key: The key of the bitmap.
    /// - Returns: `false` when ``Bitmap/byteCount`` alone exceeds ``maxBytes``: the bitmap of `key` is then removed,
    ///   and no other entry is evicted.
    @inlinable
    @discardableResult
    public func insert(_ bitmap: Bitmap, for key: Key) -> Bool { insert(bitmap, for: key, cost: bitmap.byteCount) }

    /// Stores a bitmap as the `insert` without `expiry` does. ``removeExpired(now:)`` removes it when `now` is `expiry`
    /// or later.
    @discardableResult
    public func insert(_ bitmap: Bitmap, for key: Key, expiry: ContinuousClock.Instant) -> Bool {
        insert(bitmap, for: key, cost: bitmap.byteCount, expiry: expiry)
    }

    /// The bitmap of a key; nil when the cache has no entry for it.
    ///
    /// Reading is ``value(for:)``. Writing a bitmap stores it with its ``Bitmap/byteCount`` as the cost; a bitmap
    /// larger than ``maxBytes`` is not stored, and the key then has no entry. Writing nil removes the entry.
    @inlinable
    public subscript(key: Key) -> Bitmap? {
        get { value(for: key) }
        set {
            if let newValue {
                insert(newValue, for: key, cost: newValue.byteCount)
            } else {
                removeValue(for: key)
            }
        }
    }
}
