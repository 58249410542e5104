package io.outrigger.observe.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class WrongVariableTest {
  private static final String REMEDY = "; give a value that OpenTelemetry knows, or unset it";

  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "HOME", "abc",
          "OTEL_METRIC_EXPORT_INTERVAL", "abc",
          "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "nonsense",
          "OTEL_SERVICE_NAME", "");

  @Test
  void thePropertyIsNamedByTheVariableThatSetIt() {
    assertThat(
            WrongVariable.message(
                ENVIRONMENT, "Invalid duration property otel.metric.export.interval=abc"))
        .isEqualTo(
            "OTEL_METRIC_EXPORT_INTERVAL=abc: Invalid duration property"
                + " otel.metric.export.interval=abc"
                + REMEDY);
  }

  @Test
  void aValueAloneIsLookedForInTheVariables() {
    assertThat(WrongVariable.message(ENVIRONMENT, "Unsupported OTLP metrics protocol:\n nonsense"))
        .isEqualTo(
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=nonsense: Unsupported OTLP metrics protocol:"
                + " nonsense"
                + REMEDY);
  }

  @Test
  void whatFitsNoneNamesAllThatAreSet() {
    assertThat(WrongVariable.message(ENVIRONMENT, "something is wrong"))
        .startsWith("something is wrong; look at OTEL_EXPORTER_OTLP_METRICS_PROTOCOL, OTEL_")
        .doesNotContain("HOME");
    assertThat(WrongVariable.message(Map.of(), "something is wrong"))
        .isEqualTo("something is wrong");
  }
}
