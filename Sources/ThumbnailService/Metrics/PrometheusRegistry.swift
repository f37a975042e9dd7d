public import Metrics
import PlatformImage
import Synchronization

/// Metrics factory that stores metrics in memory and exports them in the Prometheus text format 0.0.4.
///
/// The label of a metric becomes its name, and its dimensions become labels; characters that Prometheus does not allow
/// become `_`. Counters remain counters. Meters, and recorders without aggregation, become gauges. Timers become
/// histograms in seconds. Recorders with aggregation become summaries of a sum and a count. Metrics with the same name
/// and equal dimensions share one value. The first metric with a name determines the type of that name: later metrics
/// with another type are not exported.
public final class PrometheusRegistry: MetricsFactory {
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

    /// Sets the help texts of metrics by name.
    func describe(_ help: [String: String]) {
        state.locked(in: self) { state in
            for (name, line) in help { state.help[PrometheusText.name(name)] = line }
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter) { PrometheusCounter() }
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter) { PrometheusFractionCounter() }
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge) { PrometheusGauge() }
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate { return series(label, dimensions, .summary) { PrometheusSummary() } }
        return series(label, dimensions, .gauge) { PrometheusGauge() }
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram) { PrometheusHistogram() }
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusText.Kind, _ make: () -> Series
    ) -> Series {
        let (name, labels) = (PrometheusText.name(label), PrometheusText.labels(dimensions))
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

    private func remove(_ handler: AnyObject) {
        state.locked(in: self) { state in
            for (name, family) in state.families {
                guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
                state.families[name]?.series[labels] = nil
                if state.families[name]?.series.isEmpty == true { state.families[name] = nil }
                return
            }
        }
    }
}
