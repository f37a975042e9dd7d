internal import PlatformImage
internal import Synchronization

/// Metrics in memory, exported in the Prometheus text format 0.0.4.
///
/// ```swift
/// let registry = PrometheusRegistry()
/// let uploads = registry.counter("uploads_total", labels: [("format", "png")])
/// uploads.increment()
/// ...
/// registry.text  // the body of GET /metrics
/// ```
///
/// Each method returns the metric with a name and labels, which it creates with the value 0 at the first call; metrics
/// with the same name and equal labels share one value. Store the returned object: an update of it needs no lookup by
/// name. Characters that Prometheus does not allow in names become `_`, and label names `le` and `quantile` become
/// `le_` and `quantile_`. Of two labels with the same name the first is used. The first metric with a name determines
/// the type of that name: later metrics with another type are not exported.
public final class PrometheusRegistry: Sendable {
    private struct Family {
        let kind: PrometheusText.Kind
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var help: [String: String] = [:]
    }

    private let state = Mutex(State())

    /// Creates an empty registry.
    public init() {}

    /// All metrics in the text format, sorted by name, then by labels; empty without metrics.
    public var text: String {
        let (families, help) = state.locked(in: self) { ($0.families, $0.help) }
        var text = PrometheusText()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(name, family.kind, help: help[name])
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(to: &text, name, labels)
            }
        }
        return text.text
    }

    /// The media type of ``text``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Sets the help texts of metrics by name; a later text of the same name replaces the earlier one.
    public func describe(_ help: [String: String]) {
        state.locked(in: self) { state in
            for (name, line) in help { state.help[PrometheusText.name(name)] = line }
        }
    }

    /// Returns the counter of whole numbers with a name and labels.
    public func counter(_ name: String, labels: [(String, String)] = []) -> PrometheusCounter {
        series(name, labels, .counter) { PrometheusCounter() }
    }

    /// Returns the counter of fractions, such as seconds, with a name and labels.
    public func fractionCounter(_ name: String, labels: [(String, String)] = []) -> PrometheusFractionCounter {
        series(name, labels, .counter) { PrometheusFractionCounter() }
    }

    /// Returns the gauge with a name and labels.
    public func gauge(_ name: String, labels: [(String, String)] = []) -> PrometheusGauge {
        series(name, labels, .gauge) { PrometheusGauge() }
    }

    /// Returns the histogram of durations with a name and labels.
    public func histogram(_ name: String, labels: [(String, String)] = []) -> PrometheusHistogram {
        series(name, labels, .histogram) { PrometheusHistogram() }
    }

    /// Returns the summary with a name and labels.
    public func summary(_ name: String, labels: [(String, String)] = []) -> PrometheusSummary {
        series(name, labels, .summary) { PrometheusSummary() }
    }

    /// Removes a metric from the text; without a metric with this name and equal labels, nothing changes. Updates of
    /// its object have no effect from then on.
    public func remove(_ name: String, labels: [(String, String)] = []) {
        let (name, labels) = (PrometheusText.name(name), PrometheusText.labels(labels))
        state.locked(in: self) { state in
            state.families[name]?.series[labels] = nil
            if state.families[name]?.series.isEmpty == true { state.families[name] = nil }
        }
    }

    private func series<Series: PrometheusSeries>(
        _ name: String, _ labels: [(String, String)], _ kind: PrometheusText.Kind, _ make: () -> Series
    ) -> Series {
        let (name, labels) = (PrometheusText.name(name), PrometheusText.labels(labels))
        let new = make()
        return state.locked(in: self) { state in
            var family = state.families[name, default: Family(kind: kind)]
            if let old = family.series[labels] as? Series { return old }
            // One name with two types would make the complete text invalid.
            guard family.kind == kind, family.series[labels] == nil else { return new }
            family.series[labels] = new
            state.families[name] = family
            return new
        }
    }
}
