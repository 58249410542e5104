package io.outrigger.program.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.outrigger.program.options.ProxyOptions.Logging;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log on stderr, set up by code alone. The level is that of our own classes; libraries are
 * heard from WARN on, or more quietly where ours is quieter.
 */
final class LogSetup {
  /** What they say again and again, {@code Outage} of our telemetry says once. */
  private static final List<String> OUTAGES_AT_EACH_TRY =
      List.of(
          "io.opentelemetry.exporter", "io.opentelemetry.sdk.metrics.export.PeriodicMetricReader");

  /**
   * A name that cannot be resolved is a warning with a stack trace at each try; the stream or the
   * delivery that fails for it says the same, and so do we. Its errors are heard.
   */
  private static final String GRPC_CHANNEL = "io.grpc.internal.ManagedChannelImpl";

  /** gRPC sets a keep-alive of TCP on unix sockets too: a warning at each connection to one. */
  private static final String GRPC_SOCKETS = "io.netty.bootstrap.Bootstrap";

  /** Writes gRPC's frames at DEBUG; there are tokens in them, and keys of a Workload API. */
  private static final String GRPC_FRAMES = "io.grpc.netty.NettyClientHandler";

  /** Passes over frames, whatever level somebody sets while it runs. */
  private static final class WithoutFrames extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      return event.getLoggerName().equals(GRPC_FRAMES)
              && !event.getLevel().isGreaterOrEqual(Level.WARN)
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  private LogSetup() {}

  static void apply(Logging logging) {
    apply((LoggerContext) LoggerFactory.getILoggerFactory(), logging);
  }

  /** Replaces whatever {@code context} was set up with. */
  static void apply(LoggerContext context, Logging logging) {
    context.reset();
    Level ours = Level.toLevel(logging.level().name());
    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(context);
    stderr.setName("stderr");
    stderr.setTarget("System.err");
    stderr.setEncoder(encoder(context, logging.format()));
    stderr.addFilter(new WithoutFrames());
    stderr.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(ours.isGreaterOrEqual(Level.WARN) ? ours : Level.WARN);
    root.addAppender(stderr);
    context.getLogger("io.outrigger").setLevel(ours);
    OUTAGES_AT_EACH_TRY.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
    List.of(GRPC_CHANNEL, GRPC_SOCKETS)
        .forEach(name -> context.getLogger(name).setLevel(Level.ERROR));
  }

  private static Encoder<ILoggingEvent> encoder(LoggerContext context, Logging.Format format) {
    if (format == Logging.Format.JSON) {
      JsonEncoder json = new PlainJsonEncoder();
      json.setWithSequenceNumber(false);
      json.setWithNanoseconds(false);
      json.setWithContext(false);
      json.setWithArguments(false);
      json.setWithMessage(false);
      json.setWithFormattedMessage(true);
      json.setContext(context);
      json.start();
      return json;
    }
    LineEncoder text = new LineEncoder();
    text.setContext(context);
    text.start();
    return text;
  }
}
