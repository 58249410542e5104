package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.Script.Step;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Plays a script to our connection and to Netty's. Both must respond to each step in the same way,
 * or with a known {@link Difference}. The script ends after a difference that leaves them in
 * different states.
 */
final class StateOracle {
  private StateOracle() {}

  /** Plays the script, and returns the known differences that occurred. */
  static Set<Difference> compare(String what, Script script) {
    try {
      return compare(script);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(what + ": " + script + "\n" + e.getMessage(), e);
    }
  }

  private static Set<Difference> compare(Script script) {
    Set<Difference> met = new LinkedHashSet<>();
    var blocks = new BlockReader();
    var past = new Past(script.server());
    try (var ours = new OurEndpoint(script.server());
        var nettys = new NettyEndpoint(script.server())) {
      ours.start();
      nettys.start();
      for (Step step : script.steps()) {
        var moment =
            new Moment(
                script.server(),
                past,
                ours.credit(),
                step,
                blocks.blockOf(step),
                ours.take(step),
                nettys.take(step));
        boolean goesOn = true;
        if (!moment.ours().isSameAs(moment.nettys())) {
          Difference known = Difference.of(moment);
          assertThat(known)
              .as("at %s%nours    %s%nNetty's %s", step, moment.ours(), moment.nettys())
              .isNotNull();
          met.add(known);
          goesOn = known.goesOn();
        }
        if (!goesOn || moment.ours().left() || moment.nettys().left()) {
          break;
        }
        past.add(step, moment.ours());
      }
    }
    return met;
  }
}
