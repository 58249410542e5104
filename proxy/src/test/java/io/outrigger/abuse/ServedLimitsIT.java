package io.outrigger.abuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.abuse.AttackRun.Length;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Strangers harm no other caller of a served address: the attacks on TLS, and those of the other
 * catalogue that fill memory or streams, in their short form against the real program. {@code
 * scripts/abuse --serve=tls} plays all of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
final class ServedLimitsIT {
  private static final String MEMORY = "256m";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Of the class, since a process outlives a test. */
  @TempDir static Path folder;

  private @Nullable AttackedSidecar sidecar;

  @ParameterizedTest
  @EnumSource(
      names = {
        "HALF_HANDSHAKES",
        "SLOW_HANDSHAKES",
        "ABANDONED_HANDSHAKES",
        "ENDED_HANDSHAKES",
        "DISTRUSTED_CERTIFICATES",
        "HUGE_CHAINS",
        "RENEGOTIATIONS",
        "KEY_UPDATES",
        "RAPID_RESET",
        "CONTINUATIONS",
        "UNREAD_RESPONSES",
        "OPEN_HEADER_BLOCKS",
        "QUEUED_TINY_FIELDS",
        "IDLE_CONNECTIONS"
      })
  @Conformance("OPS-08")
  void aStrangerHarmsNoOtherCaller(Attack attack) throws IOException {
    AttackedSidecar attacked = running();
    Trial trial = Trial.of(attack, attacked, Length.SHORT, PATIENCE);
    List<String> said = attacked.process.errorLines();
    if (!trial.isOver()) {
      end();
    }

    assertThat(trial.broken())
        .as(
            "%s; the program said: %s",
            attack.text(), said.subList(Math.max(0, said.size() - 20), said.size()))
        .allMatch(broken -> trial.isHeldUp() && broken.startsWith("p99 "), "is of the machine");
  }

  private AttackedSidecar running() throws IOException {
    AttackedSidecar attacked = sidecar;
    if (attacked == null) {
      attacked =
          new AttackedSidecar(
              Files.createTempDirectory(folder, "run"), MEMORY, 1, Entrance.SERVE_TLS);
      sidecar = attacked;
    }
    return attacked;
  }

  @AfterAll
  void end() {
    AttackedSidecar attacked = sidecar;
    if (attacked != null) {
      sidecar = null;
      attacked.close();
    }
  }
}
