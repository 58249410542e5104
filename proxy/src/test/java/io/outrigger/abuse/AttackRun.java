package io.outrigger.abuse;

import io.outrigger.abuse.AttackedSidecar.Forward;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.testing.Frames;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** What an attack has at hand: who is attacked, its connections, its time. */
final class AttackRun {
  /** How much there is to an attack. */
  enum Length {
    /** What shows in a few seconds; for tests. */
    SHORT(Duration.ofSeconds(2)),
    LONG(Duration.ofSeconds(10));

    private final Duration time;

    Length(Duration time) {
      this.time = time;
    }
  }

  /** How long an attack lasts at least once it has sent all. */
  private static final Duration EFFECT = Duration.ofSeconds(1);

  private static final Duration CONNECTED = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Duration POLL = Duration.ofMillis(5);

  private final AttackedSidecar sidecar;
  private final Length length;
  private final List<String> complaints = new ArrayList<>();
  private long untilNanos;

  AttackRun(AttackedSidecar sidecar, Length length) {
    this.sidecar = sidecar;
    this.length = length;
    lastsFor(length.time);
  }

  /** The smaller one for a short run. */
  int scaled(int small, int large) {
    return length == Length.SHORT ? small : large;
  }

  /** Moves the end to {@code time} from now. */
  void lastsFor(Duration time) {
    untilNanos = WaitingClock.nanoTime() + time.toNanos();
  }

  InetSocketAddress address(Forward forward) {
    return sidecar.address(forward);
  }

  Entrance entrance() {
    return sidecar.entrance;
  }

  HostileControlPlane controlPlane() {
    return sidecar.controlPlane.orElseThrow();
  }

  InetSocketAddress admin() {
    return sidecar.admin();
  }

  Peers peers() {
    return sidecar.attackers;
  }

  /** An app's connection. */
  Peer app(Forward forward, int... settings) {
    List<Peer> peers = apps(forward, 1, settings);
    return peers.isEmpty() ? new Peer(0, true) : peers.get(0); // one that is closed
  }

  List<Peer> apps(Forward forward, int count, int... settings) {
    return peers().apps(address(forward), count, settings);
  }

  /** What the hostile backend does with each frame that it reads, on all its connections. */
  void backend(Peer.Listener behaviour) {
    sidecar.hostility(behaviour);
    awaitBackends();
  }

  /** The sidecar connects anew some time after the end of the attack before. */
  private void awaitBackends() {
    lastsFor(CONNECTED);
    if (!await(() -> !backends().isEmpty())) {
      complain("the sidecar does not connect to the backend");
    }
    lastsFor(length.time);
  }

  /** The connections of the hostile backend that are open. */
  List<Peer> backends() {
    return sidecar.backends();
  }

  /** Whether there is time and the program runs. */
  boolean goesOn() {
    return WaitingClock.nanoTime() - untilNanos < 0 && sidecar.process.isAlive();
  }

  /** Waits for {@code condition} as long as there is time; whether it came. */
  boolean await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      if (!goesOn()) {
        return false;
      }
      WaitingClock.sleep(POLL);
    }
    return true;
  }

  /** Waits for {@code condition}, which should be near, whether or not there is time. */
  boolean awaitSoon(BooleanSupplier condition) {
    long begin = WaitingClock.nanoTime();
    while (!condition.getAsBoolean()) {
      if (WaitingClock.nanoTime() - begin > SOON.toNanos()) {
        return false;
      }
      WaitingClock.sleep(POLL);
    }
    return true;
  }

  /** Waits for {@code time}, or until there is no more. */
  void pause(Duration time) {
    long end = WaitingClock.nanoTime() + time.toNanos();
    await(() -> WaitingClock.nanoTime() - end >= 0);
  }

  /** Waits to the end of the time, a second at least. */
  void waitOut() {
    untilNanos = Math.max(untilNanos, WaitingClock.nanoTime() + EFFECT.toNanos());
    await(() -> false);
  }

  /**
   * Sends what {@code steps} gives for 0, 1, … as the socket takes it; how many steps were sent.
   */
  int pump(Peer peer, int steps, IntFunction<byte[]> step) {
    for (int i = 0; i < steps; i++) {
      if (!sidecar.process.isAlive() || !peer.awaitWritable(untilNanos)) {
        return i;
      }
      peer.send(step.apply(i));
    }
    return steps;
  }

  /** Sends to each peer what {@code content} gives for its place, as sockets take it. */
  void eachSends(List<Peer> peers, IntFunction<byte[]> content) {
    for (int i = 0; i < peers.size(); i++) {
      if (peers.get(i).awaitWritable(untilNanos)) {
        peers.get(i).send(content.apply(i));
      }
    }
  }

  /** The bytes of a request for {@code path} on stream {@code id}. */
  static byte[] request(int id, int flags, String path, String... more) {
    return Frames.headers(id, Frames.END_HEADERS | flags, ServingBackend.request(path, more));
  }

  /** The value of a metric now; NaN when it is not there. */
  double metric(String series) {
    return Watcher.value(sidecar.process.get("/metrics").body(), series);
  }

  /** The sidecar's view of its memory and of its calls, to explain calls that do not end. */
  String state() {
    try {
      return sidecar.process.get("/memory").body() + sidecar.process.get("/calls").body();
    } catch (UncheckedIOException e) {
      return "nothing: " + e.getMessage(); // the process may have ended
    }
  }

  /** Something that the attack itself found wrong. */
  void complain(String complaint) {
    complaints.add(complaint);
  }

  List<String> complaints() {
    return complaints;
  }
}
