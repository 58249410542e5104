package io.outrigger.xds.report;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses of a load reporting server: any bytes are read, or refused as declared. */
class ReportPlanBytesRandomTest {
  private static final int RUNS = 3000;

  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes() {
    byte[] sample =
        LoadStatsResponse.newBuilder()
            .addClusters("a")
            .addClusters("b")
            .setLoadReportingInterval(Durations.fromMillis(1500))
            .build()
            .toByteArray();

    ForeignBytes.check(
        new Case(
            "response of a load reporting server",
            InvalidProtocolBufferException.class,
            bytes -> LoadReporters.ReportPlan.of(LoadStatsResponse.parseFrom(bytes)),
            Shape.BYTES,
            List.of(sample, new byte[0])),
        RUNS);
  }
}
