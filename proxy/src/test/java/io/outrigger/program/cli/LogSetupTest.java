package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.program.options.ProxyOptions.Logging;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class LogSetupTest {
  private static List<String> stderr(Logging logging, Consumer<LoggerContext> action) {
    PrintStream before = System.err;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    Thread test = Thread.currentThread();
    OutputStream ours =
        new OutputStream() { // a thread that another test has left may log meanwhile
          @Override
          public void write(int b) {
            if (Thread.currentThread() == test) {
              captured.write(b);
            } else {
              before.write(b);
            }
          }
        };
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    try {
      System.setErr(new PrintStream(ours, true, StandardCharsets.UTF_8));
      LogSetup.apply(context, logging);
      action.accept(context);
    } finally {
      System.setErr(before);
      context.stop();
    }
    return captured.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void textIsOneLineAnEventWhateverTheMessageHolds() {
    assertThat(
            stderr(
                Logging.DEFAULT,
                context ->
                    context
                        .getLogger("io.outrigger.lb.A")
                        .info("a\r\nb\u001b[2J\u009b\u202ec {}", 1)))
        .singleElement()
        .asString()
        .matches("[0-9T:.-]+Z INFO  A: a b \\[2J c 1");
  }

  @Test
  void whatIsToldOnceOrIsNothingToWorryAboutLibrariesDoNotTell() {
    assertThat(
            stderr(
                Logging.DEFAULT,
                context -> {
                  context
                      .getLogger("io.opentelemetry.sdk.metrics.export.PeriodicMetricReader")
                      .warn("Exporter failed");
                  context
                      .getLogger("io.opentelemetry.exporter.internal.grpc.GrpcExporter")
                      .error("Server is UNAVAILABLE");
                  context
                      .getLogger("io.grpc.internal.ManagedChannelImpl")
                      .warn("Failed to resolve name");
                  context
                      .getLogger("io.netty.bootstrap.Bootstrap")
                      .warn("Unknown channel option 'SO_KEEPALIVE'");
                  context.getLogger("io.opentelemetry.sdk.autoconfigure").warn("heard");
                }))
        .singleElement()
        .asString()
        .endsWith("heard");
  }

  @Test
  void framesOfGrpcAreWrittenAtNoLevel() {
    assertThat(
            stderr(
                Logging.DEFAULT,
                context -> {
                  var frames = context.getLogger("io.grpc.netty.NettyClientHandler");
                  frames.setLevel(Level.TRACE);
                  frames.debug("INBOUND DATA: length=64 bytes=3041");
                  frames.warn("heard");
                }))
        .singleElement()
        .asString()
        .endsWith("heard");
  }

  @Test
  void jsonIsOneObjectAnEvent() {
    List<String> lines =
        stderr(
            new Logging(Logging.Level.INFO, Logging.Format.JSON),
            context ->
                context
                    .getLogger("io.outrigger.lb.A")
                    .warn("a\n{}\u202e", "b", new IllegalStateException("c")));

    assertThat(lines).hasSize(1);
    assertThat(lines.get(0)).doesNotContain("\u202e");
    JsonObject event = JsonParser.parseString(lines.get(0)).getAsJsonObject();
    assertThat(event.get("level").getAsString()).isEqualTo("WARN");
    assertThat(Instant.parse(event.get("time").getAsString())).isBeforeOrEqualTo(Instant.now());
    assertThat(event.get("logger").getAsString()).isEqualTo("io.outrigger.lb.A");
    assertThat(event.get("message").getAsString()).isEqualTo("a\nb\u202e");
    assertThat(event.get("stack_trace").getAsString())
        .startsWith("java.lang.IllegalStateException: c");
  }

  @Test
  void theLevelIsOursAndLibrariesAreQuieter() {
    List<String> lines =
        stderr(
            new Logging(Logging.Level.DEBUG, Logging.Format.TEXT),
            context -> {
              context.getLogger("io.outrigger.A").debug("ours");
              context.getLogger("io.outrigger.A").trace("too fine");
              context.getLogger("io.netty.B").info("theirs");
              context.getLogger("io.netty.B").warn("their warning");
            });

    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).endsWith("DEBUG A: ours");
    assertThat(lines.get(1)).endsWith("WARN  B: their warning");
  }

  @Test
  void offIsSilent() {
    assertThat(
            stderr(
                new Logging(Logging.Level.OFF, Logging.Format.TEXT),
                context -> {
                  context.getLogger("io.outrigger.A").error("ours");
                  context.getLogger("io.netty.B").error("theirs");
                }))
        .isEmpty();
  }
}
