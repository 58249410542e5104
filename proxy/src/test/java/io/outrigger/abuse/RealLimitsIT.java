package io.outrigger.abuse;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.abuse.AttackRun.Length;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nothing that a peer does ends, freezes or fills the process: every attack of the catalogue in its
 * short form against the real program with the memory of a small container and limits as they are
 * by default. {@code scripts/abuse} plays them longer and with other sizes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
final class RealLimitsIT {
  private static final String MEMORY = "256m";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What shows only after half a minute. */
  private static final Set<Attack> SCRIPT_ONLY = EnumSet.of(Attack.PINGS_AFTER_WORK);

  /** Attacks on what all loops share; the others are worst where there is one loop. */
  private static final Set<Attack> ON_TWO_LOOPS =
      EnumSet.of(
          Attack.LEGAL_LONG_NAMES,
          Attack.QUEUED_TINY_FIELDS,
          Attack.OPEN_HEADER_BLOCKS,
          Attack.TINY_DATA_IN_LARGE_READS,
          Attack.UNREAD_RESPONSES,
          Attack.UNREAD_HEADS,
          Attack.FILLED_TABLES,
          Attack.UNFINISHED_PREFACES,
          Attack.BIG_HEADS,
          Attack.UPLOADS,
          Attack.IDLE_CONNECTIONS);

  /** Of the class, since a process outlives a test. */
  @TempDir static Path folder;

  private @Nullable AttackedSidecar sidecar;
  private int threads;

  /** Honest use first, of a process that nobody has attacked; the script plays all in any order. */
  static Stream<Arguments> attacks() {
    return Stream.of(1, 2)
        .flatMap(
            loops ->
                Arrays.stream(Attack.values())
                    .sorted(Comparator.comparing(attack -> attack.side() != Attack.Side.HONEST))
                    .filter(attack -> attack.isFor(Entrance.FORWARD))
                    .filter(attack -> !SCRIPT_ONLY.contains(attack))
                    .filter(attack -> ON_TWO_LOOPS.contains(attack) == (loops == 2))
                    .map(attack -> Arguments.of(attack, loops)));
  }

  @Conformance("SC-48")
  @ParameterizedTest(name = "{0}, {1} loops")
  @MethodSource("attacks")
  void anAttackHarmsNobodyElse(Attack attack, int loops) throws IOException {
    play(attack, running(loops, Entrance.FORWARD));
  }

  /**
   * Strangers harm no other caller of a served address: the attacks on TLS, and those of the
   * catalogue that fill memory or streams.
   */
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
    play(attack, running(1, Entrance.SERVE_TLS));
  }

  /** Nothing that a control plane sends harms callers, or keeps what it sends later from use. */
  @ParameterizedTest
  @EnumSource(names = {"EMPTY_RESOURCES", "LONG_TEXTS", "FLAPPING", "MANY_CLUSTERS"})
  void aControlPlaneHarmsNoCaller(Attack attack) throws IOException {
    play(attack, running(1, Entrance.CONTROLLED));
  }

  private void play(Attack attack, AttackedSidecar attacked) {
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

  /** One process for many attacks, as in life. */
  private AttackedSidecar running(int loops, Entrance entrance) throws IOException {
    AttackedSidecar attacked = sidecar;
    if (attacked != null && threads == loops && attacked.entrance == entrance) {
      return attacked;
    }
    end();
    attacked =
        new AttackedSidecar(Files.createTempDirectory(folder, "run"), MEMORY, loops, entrance);
    sidecar = attacked;
    threads = loops;
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
