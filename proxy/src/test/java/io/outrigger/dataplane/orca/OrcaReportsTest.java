package io.outrigger.dataplane.orca;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.xds.data.orca.v3.OrcaLoadReport;
import io.netty.util.AsciiString;
import io.outrigger.lb.BackendMetrics;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrcaReportsTest {
  private static final OrcaLoadReport REPORT =
      OrcaLoadReport.newBuilder()
          .setApplicationUtilization(0.5)
          .setCpuUtilization(0.25)
          .setMemUtilization(0.75)
          .setRpsFractional(100)
          .setEps(3)
          .putUtilization("disk", 0.1)
          .putNamedMetrics("queue", 7)
          .putRequestCost("cost", 9)
          .build();

  @Test
  void aTrailerIsReadWithAndWithoutPadding() {
    var expected =
        new BackendMetrics(0.5, 0.25, 0.75, 100, 3, Map.of("disk", 0.1), Map.of("queue", 7.0));
    byte[] bytes = REPORT.toByteArray();

    assertThat(OrcaReports.ofMessage(bytes)).contains(expected);
    for (Base64.Encoder encoder :
        new Base64.Encoder[] {Base64.getEncoder(), Base64.getEncoder().withoutPadding()}) {
      assertThat(OrcaReports.ofTrailer(new AsciiString(encoder.encodeToString(bytes))))
          .contains(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"not base64!", "/////w", "A"})
  void whatIsNoReportIsNone(String value) {
    assertThat(OrcaReports.ofTrailer(new AsciiString(value))).isEmpty();
  }

  @Test
  void anEmptyReportSaysNothing() {
    assertThat(OrcaReports.ofTrailer(AsciiString.EMPTY_STRING))
        .contains(new BackendMetrics(0, 0, 0, 0, 0, Map.of(), Map.of()));
  }
}
