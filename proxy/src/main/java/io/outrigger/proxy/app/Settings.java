package io.outrigger.proxy.app;

import io.outrigger.base.AnyThread;
import io.outrigger.proxy.access.AccessLog;
import io.outrigger.proxy.downstream.ListenerSettings;
import io.outrigger.proxy.forward.AuthorityMode;
import io.outrigger.proxy.forward.ForwardSettings;
import io.outrigger.proxy.forward.MemoryLimit;
import io.outrigger.proxy.http2.ConnectionSettings;
import io.outrigger.proxy.http2.EventLoops;
import io.outrigger.proxy.options.InvalidInput;
import io.outrigger.proxy.options.ProgramVersion;
import io.outrigger.proxy.options.ProxyOptions;
import io.outrigger.proxy.options.StartFailure;
import io.outrigger.proxy.telemetry.Telemetry;
import io.outrigger.proxy.upstream.UpstreamSettings;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What the user said, in the terms of each part. */
@AnyThread
final class Settings {
  private Settings() {}

  static EventLoops.TransportKind transport(ProxyOptions options) {
    return switch (options.transport()) {
      case AUTO -> EventLoops.TransportKind.AUTO;
      case IO_URING -> EventLoops.TransportKind.IO_URING;
      case EPOLL -> EventLoops.TransportKind.EPOLL;
      case NIO -> EventLoops.TransportKind.NIO;
    };
  }

  static ForwardSettings forward(ProxyOptions options) {
    var settings =
        new ForwardSettings(
                authority(options.authority()),
                options.limits().maxQueuedRequests(),
                ForwardSettings.MAX_QUEUED_BYTES,
                options.source().bootstrap().node().id())
            .measuring(
                new ForwardSettings.Measuring(options.metricMethods(), options.metricLocality()));
    return options.decisionHeader().map(settings::withDecisionHeader).orElse(settings);
  }

  private static AuthorityMode authority(ProxyOptions.AuthorityMode mode) {
    if (mode instanceof ProxyOptions.AuthorityMode.Fixed fixed) {
      return AuthorityMode.fixed(fixed.text());
    }
    return mode instanceof ProxyOptions.AuthorityMode.Preserve
        ? new AuthorityMode.Preserve()
        : new AuthorityMode.OfTarget();
  }

  /** The access log, open and ours to close; empty when it is off. */
  static Optional<AccessLog> accessLog(ProxyOptions options) throws StartFailure {
    if (options.accessLog() instanceof ProxyOptions.AccessLog.ToFile file) {
      try {
        return Optional.of(AccessLog.toFile(file.path()));
      } catch (IOException e) {
        throw new StartFailure(
            "--access-log: cannot write " + file.path() + ": " + e.getMessage(), e);
      }
    }
    return options.accessLog() instanceof ProxyOptions.AccessLog.Stdout
        ? Optional.of(AccessLog.toStdout())
        : Optional.empty();
  }

  /**
   * Traces and metrics over OTLP, ours to close; empty when they are off.
   *
   * @param metrics what to send at each interval
   * @throws InvalidInput when one of OpenTelemetry's variables cannot be used
   */
  static Optional<Telemetry> telemetry(ProxyOptions options, Supplier<MetricSnapshots> metrics)
      throws InvalidInput {
    if (options.otlp().isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Telemetry.start(options.otlp().get(), ProgramVersion.text(), metrics));
    } catch (IllegalArgumentException e) {
      throw new InvalidInput(List.of("--otlp: " + e.getMessage()));
    }
  }

  static ListenerSettings listener(ProxyOptions options, MemoryLimit memory) {
    var limits = options.limits();
    return new ListenerSettings(
        limits.maxConnections(),
        ConnectionSettings.DEFAULT
            .withMaxConcurrentStreams(limits.maxConcurrentStreams())
            .withMaxHeaderListBytes(limits.maxHeaderBytes())
            .withMemory(memory::isShort));
  }

  static UpstreamSettings upstream(ProxyOptions options, MemoryLimit memory) {
    var connections = options.connections();
    Optional<UpstreamSettings.KeepAlive> keepAlive =
        connections.keepaliveTime().isZero()
            ? Optional.empty()
            : Optional.of(
                new UpstreamSettings.KeepAlive(
                    connections.keepaliveTime(), connections.keepaliveTimeout()));
    return new UpstreamSettings(
        connections.connectTimeout(),
        keepAlive,
        connections.idleTimeout(),
        ConnectionSettings.DEFAULT.withMemory(memory::isShort));
  }
}
