package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Script.Act;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frames;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Plays a script to our connection twice, with one read per frame and with reads of random size.
 * Both must have the same result.
 *
 * <p>The end of a turn, which follows each read here, may change the result: a draining connection
 * closes then, and DATA that has waited for windows is sent. From such a state on, each read ends
 * at the end of a frame.
 */
@LoopConfined
final class ReadCuts {
  private final Endpoint endpoint;
  private final Random random;
  private byte[] unread = {};
  private boolean turnsMatter;

  private ReadCuts(Endpoint endpoint, Random random) {
    this.endpoint = endpoint;
    this.random = random;
  }

  static void check(String what, Script script, Random random) {
    List<String> whole;
    List<String> cut;
    try (var ours = new OurEndpoint(script.server())) {
      ours.start();
      for (Step step : script.steps()) {
        if (ours.channel().isOpen()) {
          ours.play(step);
        }
      }
      whole = told(ours);
    }
    try (var ours = new OurEndpoint(script.server())) {
      ours.start();
      new ReadCuts(ours, random).play(script.steps());
      cut = told(ours);
    }
    assertThat(cut).as("%s: with other reads, %s", what, script).isEqualTo(whole);
  }

  private static List<String> told(Endpoint endpoint) {
    return Stream.concat(
            endpoint.heard.stream().map(Object::toString),
            endpoint.written().stream()
                .map(frame -> frame + " " + frame.flags() + " " + Arrays.hashCode(frame.payload())))
        .toList();
  }

  private void play(List<Step> steps) {
    for (Step step : steps) {
      if (step instanceof Sends sends) {
        unread = Frames.join(unread, sends.bytes());
        turnsMatter |= sends.frame().type() == FrameType.GOAWAY;
        if (turnsMatter || random.nextInt(4) == 0) {
          read();
        }
      } else if (step instanceof Does does) {
        read();
        turnsMatter |= does.act() == Act.SOME_DATA || does.act() == Act.LAST_DATA;
        if (endpoint.channel().isOpen()) {
          endpoint.play(step);
        }
      }
    }
    read();
  }

  private void read() {
    for (int at = 0; at < unread.length && endpoint.channel().isOpen(); ) {
      int most = random.nextBoolean() ? 5 : 3000;
      int end = Math.min(unread.length, at + 1 + random.nextInt(most));
      endpoint.read(Arrays.copyOfRange(unread, at, end));
      at = end;
    }
    unread = new byte[0];
  }
}
