package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.tls.HandshakeResult;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.ConnectionGroup;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The counts of A94 for connections, over the life of the process. */
@ControlConfined
public final class ConnectionCounters {
  private final Map<Place, Tally> tallies = new HashMap<>();

  /** The current counts of one place. */
  private static final class Tally {
    long succeeded;
    long failed;
    long openPlain;
    long openSecure;
    final Map<String, Long> lost = new TreeMap<>();
    final Map<HandshakeResult, Long> handshakes = new EnumMap<>(HandshakeResult.class);

    void open(long change, boolean secure) {
      if (secure) {
        openSecure += change;
      } else {
        openPlain += change;
      }
    }

    Counts counts() {
      return new Counts(
          succeeded, failed, openPlain, openSecure, Map.copyOf(lost), Map.copyOf(handshakes));
    }
  }

  /**
   * The counts of one place.
   *
   * @param succeeded successful connection attempts
   * @param failed failed connection attempts
   * @param openPlain open plaintext connections
   * @param openSecure open TLS connections
   * @param lost closed connections, by A94's name for the reason
   * @param handshakes TLS handshakes by result (A118)
   */
  public record Counts(
      long succeeded,
      long failed,
      long openPlain,
      long openSecure,
      Map<String, Long> lost,
      Map<HandshakeResult, Long> handshakes) {}

  void on(String target, ConnectionGroup group, ConnectionEvent event) {
    Tally tally = of(target, group);
    boolean secure = group.secure();
    if (event instanceof ConnectionEvent.Made) {
      tally.succeeded++;
      tally.open(1, secure);
    } else if (event instanceof ConnectionEvent.Failed) {
      tally.failed++;
    } else if (event instanceof ConnectionEvent.Lost lost) {
      tally.open(-1, secure);
      tally.lost.merge(lost.error(), 1L, Long::sum);
    } else if (event instanceof ConnectionEvent.Moved moved) {
      tally.open(-moved.open(), secure);
      of(target, group.in(moved.to())).open(moved.open(), secure);
    } else if (event instanceof ConnectionEvent.Handshaken handshaken) {
      tally.handshakes.merge(handshaken.result(), 1L, Long::sum);
    }
  }

  private Tally of(String target, ConnectionGroup group) {
    Place place =
        new Place(target, group.cluster(), group.locality().label()).among(tallies.keySet());
    return tallies.computeIfAbsent(place, p -> new Tally());
  }

  /** Returns the counts so far. */
  Map<Place, Counts> counts() {
    Map<Place, Counts> counts = new HashMap<>();
    tallies.forEach((place, tally) -> counts.put(place, tally.counts()));
    return counts;
  }
}
