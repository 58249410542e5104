package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.testing.Frames;
import io.outrigger.testing.Seeds;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the effects of frames with Netty's: each step of a script must have the same events,
 * responses and errors, except for a known {@link Difference}.
 */
final class StateOracleTest {
  @Test
  void scriptsToAServerMeanTheSameToBoth() {
    Seeds.each(1_000, seed -> compare(seed, true));
  }

  @Test
  void scriptsToAClientMeanTheSameToBoth() {
    Seeds.each(1_000, seed -> compare(seed, false));
  }

  @Test
  void damagedBytesToAServerMeanTheSameToBoth() {
    Seeds.each(1_000, seed -> compareDamaged(seed, true));
  }

  @Test
  void damagedBytesToAClientMeanTheSameToBoth() {
    Seeds.each(1_000, seed -> compareDamaged(seed, false));
  }

  private static void compare(long seed, boolean server) {
    var random = new Random(seed);
    compare(seed, ScriptDraw.draw(random::nextInt, server), random);
  }

  private static void compareDamaged(long seed, boolean server) {
    var random = new Random(seed);
    Script script = ScriptDraw.draw(random::nextInt, server);
    compare(seed, Damage.of(random::nextInt, script), random);
  }

  private static void compare(long seed, Script script, Random cuts) {
    StateOracle.compare("seed " + seed, script);
    ReadCuts.check("seed " + seed, script, cuts);
  }

  /** A listed difference that no longer exists would hide another one. */
  @ParameterizedTest
  @MethodSource("io.outrigger.http2.Difference#all")
  void knownDifferencesAreStillThere(Difference known) {
    assertThat(StateOracle.compare(known.toString(), known.rule().example()))
        .as(known.rule().reason())
        .containsExactly(known);
  }

  /** Random scripts seldom meet a limit exactly. */
  @ParameterizedTest
  @MethodSource
  void limitsAreTheSame(String limit, Script script) {
    assertThat(StateOracle.compare(limit, script)).isEmpty();
  }

  static Stream<Arguments> limitsAreTheSame() {
    byte[] most = new byte[16_384];
    byte[] rest = new byte[Endpoint.STREAM_WINDOW - most.length];
    byte[] padding = Frames.join(new byte[] {(byte) 200}, rest);
    byte[] one = Frames.data(1, 0, new byte[1]);
    return Stream.of(
        Arguments.of(
            "streams",
            Script.toServer(
                Frames.request(1),
                Frames.request(3),
                Frames.wholeRequest(5),
                Frames.request(7),
                Frames.reset(1, Http2Error.CANCEL),
                Frames.request(9))),
        Arguments.of(
            "a stream's window",
            Script.toServer(
                Frames.request(1), Frames.data(1, 0, most), Frames.data(1, 0, rest), one)),
        Arguments.of(
            "a stream's window, with padding",
            Script.toServer(
                Frames.request(1),
                Frames.data(1, 0, most),
                Frames.data(1, Frames.PADDED, padding))));
  }
}
