package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoggerLevelsTest {
  private final LoggerContext context = new LoggerContext();
  private final LoggerLevels levels = new LoggerLevels(context);

  /** Sets a level, and returns the reply, whose body is released. */
  private AdminReply set(String name, String level) {
    AdminReply reply =
        levels.set(
            new AdminRequest(
                "/loggers/" + name, Map.of("level", List.of(level)), EmptyHttpHeaders.INSTANCE));
    reply.body().release();
    return reply;
  }

  @Test
  void aLoggerThatIsThereAndThoseOfAClassAndOfAPackageAreSet() {
    context.getLogger("is.there");

    for (String name :
        List.of(
            "is.there",
            "io.outrigger.program.app.AdminEndpoints",
            "java.util.Map$Entry",
            "io.outrigger.program.app",
            "io.outrigger.program.demo", // none of its classes may be loaded yet
            "io.outrigger")) {
      assertThat(set(name, "debug").status()).isEqualTo(200);
      assertThat(context.getLogger(name).getLevel()).isEqualTo(Level.DEBUG);
    }
  }

  @Test
  void aLoggerIsFoundByTheNameThatTheLogShows() {
    context.getLogger("io.outrigger.observe.events.AdsLog");

    assertThat(set("AdsLog", "DEBUG").status()).isEqualTo(200);

    assertThat(context.getLogger("io.outrigger.observe.events.AdsLog").getLevel())
        .isEqualTo(Level.DEBUG);
    assertThat(context.exists("AdsLog")).isNull();
  }

  @Test
  void aNameOfNothingIsRefusedWithTheNearestName() {
    context.getLogger("io.outrigger.observe.events.AdsLog");
    int before = context.getLoggerList().size();

    assertThat(text("AdsLgo")).contains("did you mean AdsLog?");
    assertThat(text("io.outrigger.observe.event.AdsLog"))
        .contains("did you mean io.outrigger.observe.events.AdsLog?");
    assertThat(text("nope.deeper")).contains("no logger, class or package has that name");

    assertThat(context.getLoggerList()).hasSize(before);
  }

  @Test
  void aLongNameIsRefused() {
    assertThat(set("a" + ".a".repeat(30_000), "INFO").status()).isEqualTo(404);
  }

  private String text(String name) {
    AdminReply reply =
        levels.set(
            new AdminRequest(
                "/loggers/" + name, Map.of("level", List.of("INFO")), EmptyHttpHeaders.INSTANCE));
    assertThat(reply.status()).isEqualTo(404);
    String text = reply.body().toString(StandardCharsets.UTF_8);
    reply.body().release();
    return text;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "a..b",
        "a b",
        "a/b",
        "<b>",
        "io/outrigger",
        "nope",
        "[Ljava.lang.String;"
      })
  void aNameThatIsNoneIsRefused(String name) {
    assertThat(set(name, "INFO").status()).isBetween(400, 404);
    assertThat(context.getLoggerList()).hasSize(1);
  }
}
