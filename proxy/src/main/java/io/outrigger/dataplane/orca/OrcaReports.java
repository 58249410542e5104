package io.outrigger.dataplane.orca;

import com.github.xds.data.orca.v3.OrcaLoadReport;
import com.github.xds.service.orca.v3.OrcaLoadReportRequest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.util.AsciiString;
import io.outrigger.lb.BackendMetrics;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;

/** Decodes {@code xds.data.orca.v3.OrcaLoadReport} messages. */
public final class OrcaReports {
  /** The trailer with the load report of a call (A51 "Per-Request Metrics Reporting"). */
  public static final AsciiString TRAILER = AsciiString.cached("endpoint-load-metrics-bin");

  private OrcaReports() {}

  /** Decodes a load report from a trailer's value, which is base64 with or without padding. */
  public static Optional<BackendMetrics> ofTrailer(AsciiString value) {
    try {
      return ofMessage(Base64.getDecoder().decode(value.toByteArray()));
    } catch (IllegalArgumentException notBase64) {
      return Optional.empty();
    }
  }

  /** Returns the serialized message that requests one load report in each interval. */
  public static byte[] request(Duration interval) {
    return OrcaLoadReportRequest.newBuilder()
        .setReportInterval(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(interval.getSeconds())
                .setNanos(interval.getNano()))
        .build()
        .toByteArray();
  }

  /** Decodes a load report; empty when the message is invalid. */
  public static Optional<BackendMetrics> ofMessage(byte[] message) {
    try {
      OrcaLoadReport proto = OrcaLoadReport.parseFrom(message);
      return Optional.of(
          new BackendMetrics(
              proto.getApplicationUtilization(),
              proto.getCpuUtilization(),
              proto.getMemUtilization(),
              proto.getRpsFractional(),
              proto.getEps(),
              proto.getUtilizationMap(),
              proto.getNamedMetricsMap()));
    } catch (InvalidProtocolBufferException notAReport) {
      return Optional.empty();
    }
  }
}
