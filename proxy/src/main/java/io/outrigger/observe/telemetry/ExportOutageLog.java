package io.outrigger.observe.telemetry;

import io.opentelemetry.exporter.internal.FailedExportException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.GrpcResponse;
import io.outrigger.base.AnyThread;
import io.outrigger.base.PlainText;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when the collector stops accepting one kind of data, and once when the collector
 * accepts that data again. The SDK logs each failed export but no recovery, so {@code LogSetup}
 * turns the SDK's log lines off.
 */
@AnyThread
final class ExportOutageLog {
  private static final Logger log = LoggerFactory.getLogger(ExportOutageLog.class);

  private final String dataName;
  private final String endpoint;
  private final AtomicBoolean hasOutage = new AtomicBoolean();

  /**
   * @param dataName the plural name of the exported data, such as {@code traces}
   * @param endpoint the URL of the collector, which is logged without user and password
   */
  ExportOutageLog(String dataName, String endpoint) {
    this.dataName = dataName;
    this.endpoint = PlainText.withoutUser(endpoint);
  }

  /**
   * Wraps an exporter; the wrapper logs when exports begin to fail and when they recover.
   *
   * @param type the exporter's interface, for metrics or for spans
   */
  <T> T watch(Class<T> type, T exporter) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = method.invoke(exporter, arguments);
              return method.getName().equals("export")
                  ? watch((CompletableResultCode) result)
                  : result;
            }));
  }

  CompletableResultCode watch(CompletableResultCode delivery) {
    return delivery.whenComplete(
        () -> {
          if (hasOutage.getAndSet(!delivery.isSuccess()) == delivery.isSuccess()) {
            if (delivery.isSuccess()) {
              log.info("otlp: {} reach the collector again", dataName);
            } else {
              log.warn(
                  "otlp: {} do not reach the collector and are lost meanwhile: {}; is a"
                      + " collector at {} (--otlp)?",
                  dataName,
                  reason(delivery.getFailureThrowable()),
                  endpoint);
            }
          }
        });
  }

  private static String reason(@Nullable Throwable failure) {
    if (failure instanceof FailedExportException.GrpcExportException grpc
        && grpc.getResponse() != null) {
      GrpcResponse answer = grpc.getResponse();
      return answer.getStatusCode() + ": " + firstLine(answer.getStatusDescription());
    }
    if (failure instanceof FailedExportException.HttpExportException http
        && http.getResponse() != null) {
      return "it answers with HTTP status " + http.getResponse().getStatusCode();
    }
    String reason = "it does not accept them";
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each.getMessage() != null) {
        reason = firstLine(each.getMessage());
      }
    }
    return reason;
  }

  private static String firstLine(@Nullable String text) {
    return text == null ? "" : text.lines().findFirst().orElse("");
  }
}
