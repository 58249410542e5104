package io.outrigger.abuse;

import io.outrigger.base.WaitingClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What one attack came to.
 *
 * @param calls the neighbour's calls from the begin of the attack until all was well again
 * @param bypassed the same calls at the same time past the sidecar
 * @param waitOfLoops for how long all processors were taken when an event loop had work, in the
 *     worst stretch as long as the 99th percentile of the calls
 * @param recovery from the attackers' end until the neighbour's last call that went wrong; empty
 *     when it went on too long
 * @param complaints what the attack itself found wrong
 */
record Trial(
    Attack attack,
    Calls calls,
    Calls bypassed,
    Duration calmP99,
    Duration waitOfLoops,
    Usage usage,
    double memoryMib,
    Optional<Duration> recovery,
    boolean survived,
    List<String> complaints) {
  /** A neighbour's 99th percentile may be this, or so many times that of a calm stretch. */
  private static final Duration FLOOR = Duration.ofMillis(500);

  private static final int TIMES_CALM = 10;

  /** After an attack all is served again within this time. */
  private static final Duration RECOVERY = Duration.ofSeconds(2);

  /** So many calls in a row went well when all is well. */
  private static final int WELL = 50;

  /** One call in so many may be refused for want of memory: that is documented. */
  private static final int REFUSABLE = 20;

  /**
   * Plays {@code attack}, ends its connections and waits until all is well again.
   *
   * @param patience how long to wait until all is well again
   */
  static Trial of(
      Attack attack, AttackedSidecar sidecar, AttackRun.Length length, Duration patience) {
    Duration calm = sidecar.calm.quantile(0.99);
    sidecar.watcher.take();
    Calls calls = sidecar.neighbour.measure();
    Calls bypassed = sidecar.bypass.measure();
    AttackRun run = attack.play(sidecar, length);
    sidecar.attackers.closeAll(Peer::close);
    sidecar.noHostility();

    long gone = WaitingClock.nanoTime();
    Optional<Duration> recovery = Optional.empty();
    while (recovery.isEmpty()
        && sidecar.process.isAlive()
        && WaitingClock.nanoTime() - gone < patience.toNanos()) {
      WaitingClock.sleep(Duration.ofMillis(20));
      recovery = calls.recovery(gone, bound(calm), WELL);
    }
    sidecar.neighbour.measure();
    sidecar.bypass.measure();
    long ended = WaitingClock.nanoTime();
    while ((calls.open() > 0 || bypassed.open() > 0)
        && WaitingClock.nanoTime() - ended < RECOVERY.toNanos()) {
      WaitingClock.sleep(Duration.ofMillis(20));
    }
    calls.settle();
    bypassed.settle();
    if (sidecar.process.isAlive()) {
      sidecar.watcher.awaitAnswer(patience);
    }
    return new Trial(
        attack,
        calls,
        bypassed,
        calm,
        sidecar.watcher.waitOfLoops(calls.quantile(0.99)),
        sidecar.watcher.take(),
        sidecar.memoryMib(),
        recovery,
        sidecar.process.isAlive(),
        List.copyOf(run.complaints()));
  }

  private static Duration bound(Duration calm) {
    Duration own = calm.multipliedBy(TIMES_CALM);
    return own.compareTo(FLOOR) > 0 ? own : FLOOR;
  }

  /** What the neighbour's 99th percentile may be. */
  Duration bound() {
    return bound(calmP99);
  }

  /** Whether calls took long for no other reason than that the event loop had no processor. */
  boolean isHeldUp() {
    return calls.quantile(0.99).minus(waitOfLoops).compareTo(bound()) <= 0;
  }

  /** The bounds that were broken, in words; empty when the attack achieved nothing. */
  List<String> broken() {
    List<String> broken = new ArrayList<>();
    if (!survived) {
      broken.add("the process ended");
    }
    if (!calls.failures().isEmpty()) {
      broken.add("calls of the neighbour failed: " + calls.failures());
    }
    if (calls.refused() * REFUSABLE > calls.count()) {
      broken.add("%d of %d calls were refused".formatted(calls.refused(), calls.count()));
    }
    if (calls.quantile(0.99).compareTo(bound()) > 0) {
      broken.add(
          ("p99 of the neighbour is %s, calm %s, past the sidecar %s; a loop waited %s for a"
                  + " processor; the bound is %s")
              .formatted(
                  millis(calls.quantile(0.99)),
                  millis(calmP99),
                  millis(bypassed.quantile(0.99)),
                  millis(waitOfLoops),
                  millis(bound())));
    }
    if (recovery.filter(time -> time.compareTo(RECOVERY) <= 0).isEmpty()) {
      broken.add("served again only after " + recovery.map(Trial::millis).orElse("ever"));
    }
    if (usage.pinnedMib() > memoryMib) {
      broken.add(
          String.format(Locale.ROOT, "it took %.0f MiB of %.0f", usage.pinnedMib(), memoryMib));
    }
    if (usage.adminSilences() > 0) {
      broken.add(usage.adminSilences() + " times the admin server did not answer within 3 s");
    }
    broken.addAll(complaints);
    return broken;
  }

  /** Whether the same process can be attacked again, and what it takes then is not of this one. */
  boolean isOver() {
    return survived && recovery.isPresent() && usage.pinnedMib() <= memoryMib;
  }

  static String millis(Duration time) {
    return String.format(Locale.ROOT, "%.1f ms", time.toNanos() / 1e6);
  }
}
