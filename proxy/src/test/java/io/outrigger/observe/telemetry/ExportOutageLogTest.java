package io.outrigger.observe.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.opentelemetry.exporter.internal.FailedExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.opentelemetry.sdk.common.export.GrpcStatusCode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ExportOutageLogTest {
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(ExportOutageLog.class);
  private final ExportOutageLog outage =
      new ExportOutageLog("metrics", "http://user:password@collector:4317");

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
    logger.setLevel(null);
  }

  private List<String> told() {
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  @Test
  void oneLineWhenItBeginsAndOneWhenItIsOver() {
    outage.watch(CompletableResultCode.ofSuccess());
    for (int i = 0; i < 3; i++) {
      outage.watch(
          CompletableResultCode.ofExceptionalFailure(
              new IllegalStateException(new IOException("connection refused\n more"))));
    }
    outage.watch(CompletableResultCode.ofSuccess());
    outage.watch(CompletableResultCode.ofSuccess());
    outage.watch(CompletableResultCode.ofFailure());

    assertThat(told())
        .containsExactly(
            "WARN otlp: metrics do not reach the collector and are lost meanwhile:"
                + " connection refused; is a collector at http://collector:4317 (--otlp)?",
            "INFO otlp: metrics reach the collector again",
            "WARN otlp: metrics do not reach the collector and are lost meanwhile:"
                + " it does not accept them; is a collector at http://collector:4317 (--otlp)?");
  }

  @Test
  void theStatusOfGrpcIsTheReason() {
    var answer =
        new GrpcResponse() {
          @Override
          public GrpcStatusCode getStatusCode() {
            return GrpcStatusCode.UNAVAILABLE;
          }

          @Override
          public String getStatusDescription() {
            return "Unable to resolve host collector";
          }

          @Override
          public byte[] getResponseMessage() {
            return new byte[0];
          }
        };

    outage.watch(
        CompletableResultCode.ofExceptionalFailure(
            FailedExportException.grpcFailedWithResponse(answer)));

    assertThat(told())
        .singleElement()
        .asString()
        .endsWith(
            ": UNAVAILABLE: Unable to resolve host collector; is a collector at"
                + " http://collector:4317 (--otlp)?");
  }

  @Test
  void whatIsStillUnderWaySaysNothing() {
    var delivery = new CompletableResultCode();
    outage.watch(delivery);
    assertThat(told()).isEmpty();

    delivery.fail();
    assertThat(told()).hasSize(1);
  }
}
