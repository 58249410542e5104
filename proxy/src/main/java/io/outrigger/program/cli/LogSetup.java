package io.outrigger.program.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LogbackServiceProvider;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.outrigger.program.options.ProxyOptions.Logging;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets up the log on stderr, without configuration files. {@code --log-level} applies to the
 * program's own classes. Libraries log at WARN, or at {@code --log-level} if that level is higher.
 */
public final class LogSetup {
  /** OpenTelemetry's loggers of failed exports are off, because the program logs outages itself. */
  private static final List<String> REPEATING_LOGGERS =
      List.of(
          "io.opentelemetry.exporter", "io.opentelemetry.sdk.metrics.export.PeriodicMetricReader");

  /**
   * gRPC's warnings about failed lookups of names, each with a stack trace, are dropped, because
   * Outrigger itself logs why a stream or an export failed.
   */
  private static final String GRPC_CHANNEL = "io.grpc.internal.ManagedChannelImpl";

  /** gRPC sets TCP keepalive even on unix sockets, which have no such option, so Netty warns. */
  private static final String GRPC_SOCKETS = "io.netty.bootstrap.Bootstrap";

  /** gRPC logs HTTP/2 frames at DEBUG; the frames contain tokens and keys of a Workload API. */
  private static final String GRPC_FRAMES = "io.grpc.netty.NettyClientHandler";

  /** Drops gRPC's log of frames, even if the logger's level is lowered at run time. */
  private static final class WithoutFrames extends Filter<ILoggingEvent> {
    @Override
    public FilterReply decide(ILoggingEvent event) {
      return event.getLoggerName().equals(GRPC_FRAMES)
              && !event.getLevel().isGreaterOrEqual(Level.WARN)
          ? FilterReply.DENY
          : FilterReply.NEUTRAL;
    }
  }

  /**
   * Sets up Logback for the program: warnings on stderr until the flags are applied. {@link Main}
   * sets this class as SLF4J's provider. SLF4J's own search for a provider opens every jar of the
   * class path and slows the start.
   */
  public static final class Provider extends LogbackServiceProvider {
    @Override
    public void initialize() {
      LoggerContext context = (LoggerContext) getLoggerFactory();
      context.setName("default");
      context.setMDCAdapter(getMDCAdapter());
      apply(context, new Logging(Logging.Level.WARN, Logging.Format.TEXT));
      context.start();
    }
  }

  private LogSetup() {}

  static void apply(Logging logging) {
    apply((LoggerContext) LoggerFactory.getILoggerFactory(), logging);
  }

  static void apply(LoggerContext context, Logging logging) {
    Level ours = Level.toLevel(logging.level().name());
    ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
    stderr.setContext(context);
    stderr.setName("stderr");
    stderr.setTarget("System.err");
    Encoder<ILoggingEvent> encoder = new LineEncoder(logging.format());
    encoder.setContext(context);
    encoder.start();
    stderr.setEncoder(encoder);
    stderr.addFilter(new WithoutFrames());
    stderr.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(ours.isGreaterOrEqual(Level.WARN) ? ours : Level.WARN);
    // context.reset() would set the level DEBUG for a moment in which other threads may log
    root.detachAndStopAllAppenders();
    root.addAppender(stderr);
    context.getLogger("io.outrigger").setLevel(ours);
    REPEATING_LOGGERS.forEach(name -> context.getLogger(name).setLevel(Level.OFF));
    List.of(GRPC_CHANNEL, GRPC_SOCKETS)
        .forEach(name -> context.getLogger(name).setLevel(Level.ERROR));
  }
}
