package io.outrigger.program.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.admin.AdminRequest;
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
  void aLoggerThatIsThereAndOneThatIsNotYetAreSet() {
    context.getLogger("io.outrigger.proxy");

    assertThat(set("io.outrigger.proxy", "debug").status()).isEqualTo(200);
    assertThat(set("io.later.Class$Inner", "TRACE").status()).isEqualTo(200);

    assertThat(context.getLogger("io.outrigger.proxy").getLevel()).isEqualTo(Level.DEBUG);
    assertThat(context.getLogger("io.later.Class$Inner").getLevel()).isEqualTo(Level.TRACE);
  }

  @Test
  void aLoggerIsFoundByTheNameThatTheLogShows() {
    context.getLogger("io.outrigger.observe.events.AdsLog");

    assertThat(set("AdsLog", "DEBUG").status()).isEqualTo(200);

    assertThat(context.getLogger("io.outrigger.observe.events.AdsLog").getLevel())
        .isEqualTo(Level.DEBUG);
    assertThat(context.exists("AdsLog")).isNull();
    assertThat(set("AdsLgo", "DEBUG").status()).isEqualTo(400);
    assertThat(context.exists("AdsLgo")).isNull();
  }

  @Test
  void loggersAreNotMadeWithoutEnd() {
    context.getLogger("an.known");
    for (int i = 0; i < LoggerLevels.MAX_CREATED; i++) {
      assertThat(set("an.made" + i, "INFO").status()).isEqualTo(200);
    }

    for (int i = 0; i < 1000; i++) {
      assertThat(set("an.more" + i, "INFO").status()).isEqualTo(400);
    }

    assertThat(context.exists("an.more0")).isNull();
    assertThat(context.getLoggerList())
        .hasSize(LoggerLevels.MAX_CREATED + 3); // the root and the package too
    assertThat(set("an.known", "INFO").status()).isEqualTo(200);
    assertThat(set("an.made7", "INFO").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "a..b", "a b", "a/b", "<b>", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q"})
  void whatNamesNoClassIsRefused(String name) {
    assertThat(set(name, "INFO").status()).isEqualTo(400);
    assertThat(context.getLoggerList()).hasSize(1);
  }
}
