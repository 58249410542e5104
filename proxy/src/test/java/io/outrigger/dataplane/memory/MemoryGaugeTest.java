package io.outrigger.dataplane.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.dataplane.memory.MemoryGauge.Limits;
import io.outrigger.http2.MemoryHolder;
import io.outrigger.http2.PeerErrors;
import io.outrigger.http2.ProcessMemory;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is measured, and which connections pause and end for it. */
final class MemoryGaugeTest {
  private static final long MIB = 1 << 20;

  private long direct;
  private long heap = 6 * MIB;
  private long configured;
  private final MemoryGauge gauge =
      new MemoryGauge(
          new Limits(100 * MIB, 100 * MIB, 150 * MIB),
          () -> heap,
          () -> direct,
          () -> configured / MemoryGauge.HEAP_PER_BYTE,
          100 * MIB);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<String> ended = new ArrayList<>();

  /** A connection that holds {@code bytes} of buffers. */
  private final class Connection implements MemoryHolder {
    private final String name;
    private final PeerErrors.Side side;
    private long bytes;
    private long stillSince = channel.eventLoop().ticker().nanoTime();
    private long moves;
    private boolean paused;
    private boolean byReading = true;
    private boolean lacksMemory;
    private int weighed;
    private int millisToEnd;
    private final ProcessMemory.Accounts accounts;

    Connection(String name, PeerErrors.Side side, long bytes) {
      this.name = name;
      this.side = side;
      this.bytes = bytes;
      direct += bytes;
      accounts = gauge.open(this, channel.eventLoop());
    }

    @Override
    public long weight() {
      if (lacksMemory) {
        throw new OutOfMemoryError("heap, in a test");
      }
      weighed++;
      return bytes;
    }

    @Override
    public boolean isShared() {
      return side == PeerErrors.Side.BACKEND;
    }

    @Override
    public long lastProgressNanos() {
      return stillSince;
    }

    @Override
    public long moves() {
      return moves;
    }

    @Override
    public boolean isHeavyByReading(long weight) {
      return byReading;
    }

    @Override
    public void pauseReading(boolean value) {
      paused = value;
    }

    @Override
    public void end() {
      ended.add(name);
      direct -= bytes;
      channel.advanceTimeBy(millisToEnd, TimeUnit.MILLISECONDS);
    }
  }

  private Connection app(String name, long bytes) {
    return new Connection(name, PeerErrors.Side.APP, bytes);
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    for (int i = 0; i < 20; i++) { // of tasks that go on in the next turn
      channel.runScheduledPendingTasks();
      channel.runPendingTasks();
      channel.advanceTimeBy(1, TimeUnit.MICROSECONDS);
    }
  }

  @Test
  void theHeaviestEndOneAfterTheOtherUntilLessIsHeld() {
    app("light", 10);
    app("heavy", 40 * MIB);
    app("heaviest", 50 * MIB);
    pass(Duration.ofSeconds(1));

    assertThat(ended).containsExactly("heaviest");
    assertThat(gauge.now().ended()).contains(new MemoryView.EndedCount(PeerErrors.Side.APP, 1));
  }

  /** Otherwise, ten thousand connections would be weighed for each connection that ends. */
  @Test
  void connectionsAreNotWeighedInEachTurnThatEndsOne() {
    channel.freezeTime();
    Connection light = app("light", 10);
    for (int i = 0; i < 20; i++) {
      app("heavy " + i, 5 * MIB).millisToEnd = 6;
    }
    gauge.measure();
    pass(Duration.ZERO);

    assertThat(ended).hasSizeBetween(5, 6);
    assertThat(light.weighed).as("once for its weight, once for its rank").isEqualTo(2);
  }

  @Test
  void whatStandsStillEndsBeforeWhatMoves() {
    Connection moving = app("moving", 60 * MIB);
    app("still", 20 * MIB);
    pass(Duration.ofSeconds(30));
    moving.stillSince = channel.eventLoop().ticker().nanoTime();
    direct += 10 * MIB;
    pass(Duration.ofMillis(200));

    assertThat(ended).startsWith("still");
  }

  /** A neighbour with a hundred calls under way, and many that hold little and have just come. */
  @Test
  void whoCallsAllTheTimeOutlastsManyThatHoldLess() {
    app("neighbour", 400 << 10).moves = 100;
    for (int i = 0; i < 1_000; i++) {
      app("idle", 16 << 10).moves = 1;
    }
    direct += 70 * MIB;
    pass(Duration.ofMillis(1_200));

    assertThat(ended).isNotEmpty().containsOnly("idle");
  }

  @Test
  void aSharedConnectionIsSparedUnlessMuchOfItsOwnWaitsOnIt() {
    new Connection("backend", PeerErrors.Side.BACKEND, 100 << 10);
    direct += 99 * MIB;
    pass(Duration.ofSeconds(2));
    assertThat(ended).isEmpty();

    new Connection("stuck", PeerErrors.Side.BACKEND, MIB);
    pass(Duration.ofSeconds(2));
    assertThat(ended).containsExactly("stuck");
  }

  /** Down to the last: nobody else is there to give anything back. */
  @Test
  void lightConnectionsEndTooWhileTooMuchIsHeld() {
    for (int i = 0; i < 100; i++) {
      app("app", 4 << 10);
    }
    direct += 99 * MIB;
    for (int i = 0; i < 20; i++) {
      pass(Duration.ofSeconds(1));
    }

    assertThat(ended).hasSize(100);
    assertThat(gauge.endHeaviest()).isFalse();
  }

  @Test
  void theHeaviestIsReadFromNowAndThenWhileMemoryIsShort() {
    Connection heavy = app("heavy", 60 * MIB);
    Connection light = app("light", 1_000);
    pass(Duration.ofSeconds(1));

    light.accounts.onRead(light, 64 << 10);
    heavy.accounts.onRead(heavy, 64 << 10);
    assertThat(light.paused).isFalse();
    assertThat(heavy.paused).isTrue();
    pass(Duration.ofMillis(100));
    assertThat(heavy.paused).isFalse();

    heavy.byReading = false;
    heavy.accounts.onRead(heavy, 64 << 10);
    assertThat(heavy.paused).as("its WINDOW_UPDATE is needed").isFalse();
    assertThat(ended).isEmpty();
  }

  /** Hundreds of other sockets may be read in the same turn. */
  @Test
  void theHeaviestEndsInTheNextTurnAndNothingMoreIsReadAtTheLimit() {
    app("heavy", 60 * MIB);
    Connection light = app("light", 1_000);
    direct += 30 * MIB;
    light.accounts.onRead(light, 64 << 10);
    assertThat(light.accounts.mayRead(light)).isTrue();
    assertThat(ended).isEmpty();

    direct += 20 * MIB;
    light.accounts.onRead(light, 64 << 10);
    assertThat(light.accounts.mayRead(light)).isFalse();
    assertThat(light.paused).isTrue();

    pass(Duration.ZERO);
    assertThat(ended).containsExactly("heavy");
  }

  @Test
  void whatIsUsedOfTheHeapEndsNothingBeforeACollectionSaysThatItLives() {
    List<String> asked = new ArrayList<>();
    gauge.onSuspicion(() -> asked.add("collect"));
    app("app", 1_000);
    heap = 100 * MIB;
    pass(Duration.ofSeconds(1));
    assertThat(asked).isNotEmpty();
    assertThat(gauge.isShort()).isTrue();
    assertThat(gauge.isWorthACollection()).isTrue();
    assertThat(ended).isEmpty();

    heap = 20 * MIB;
    gauge.onCollected(heap);
    assertThat(gauge.isShort()).isFalse();
    assertThat(ended).isEmpty();
  }

  @Test
  void noAppIsReadFromWhileTheHeapIsUsedUpAndNotCollected() {
    Connection app = app("app", 1_000);
    Connection backend = new Connection("backend", PeerErrors.Side.BACKEND, 1_000);
    pass(Duration.ofSeconds(1));
    heap = 110 * MIB;
    app.accounts.onRead(app, 64 << 10);
    assertThat(gauge.isUsedUp()).isTrue();
    assertThat(app.accounts.mayRead(app)).isFalse();
    assertThat(app.paused).isTrue();
    assertThat(backend.accounts.mayRead(backend)).isTrue();
    assertThat(backend.paused).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(app.paused).as("memory is still used up").isTrue();

    heap = 20 * MIB;
    gauge.onCollected(heap);
    assertThat(gauge.isUsedUp()).isFalse();
    pass(Duration.ofSeconds(1));
    assertThat(app.paused).isFalse();
  }

  /** {@code unread-heads}: the heads of responses are decoded before any window limits them. */
  @Test
  @Conformance("SC-38")
  void backendsAreReadFromUntilTheHeapIsAlmostFull() {
    Connection backend = new Connection("backend", PeerErrors.Side.BACKEND, 1_000);
    heap = 120 * MIB; // 114 of them of peers, who may hold 100
    gauge.measure();
    assertThat(gauge.isUsedUp()).isTrue();
    assertThat(backend.accounts.mayRead(backend)).isTrue();

    heap = 122 * MIB;
    gauge.measure();
    assertThat(backend.accounts.mayRead(backend)).isFalse();
    assertThat(backend.paused).as("it tries again by itself").isFalse();

    heap = 20 * MIB;
    gauge.onCollected(heap);
    assertThat(backend.accounts.mayRead(backend)).isTrue();
  }

  @Test
  void aBusyAppThatHoldsLittleIsReadFromWhileTheOthersPause() {
    Connection busy = app("busy", 8 << 10);
    busy.moves = 100;
    Connection idle = app("idle", 8 << 10);
    pass(Duration.ofSeconds(1));
    heap = 110 * MIB;
    idle.accounts.onRead(idle, 64 << 10);

    assertThat(idle.accounts.mayRead(idle)).isFalse();
    assertThat(idle.paused).isTrue();
    assertThat(busy.accounts.mayRead(busy)).isTrue();
    assertThat(busy.paused).isFalse();
  }

  /** No tick is the last one, although the heap may have no room for it. */
  @Test
  void anAppIsResumedAfterTicksThatFailedForLackOfMemory() {
    Connection app = app("app", 1_000);
    pass(Duration.ofSeconds(1));
    heap = 110 * MIB;
    app.accounts.onRead(app, 64 << 10);
    assertThat(app.accounts.mayRead(app)).isFalse();
    app.lacksMemory = true;
    gauge.onSuspicion(
        () -> {
          throw new OutOfMemoryError("heap, in a test");
        });
    heap = 20 * MIB;
    gauge.onCollected(heap);
    heap = 110 * MIB;
    pass(Duration.ofMillis(100));
    pass(Duration.ofSeconds(1));
    app.lacksMemory = false;
    gauge.onSuspicion(() -> {});
    heap = 20 * MIB;
    gauge.onCollected(heap);
    assertThat(app.paused).isTrue();

    pass(Duration.ofSeconds(1));
    pass(Duration.ofSeconds(1));

    assertThat(app.paused).isFalse();
  }

  /** Each change of what a socket is asked for is a system call. */
  @Test
  void connectionsThatSendNothingAreNotPausedAndOthersAreResumedInParts() {
    List<Connection> apps = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      apps.add(app("app" + i, 4 << 10));
    }
    Connection silent = app("silent", 4 << 10);
    heap = 110 * MIB;
    gauge.measure();
    apps.forEach(app -> assertThat(app.accounts.mayRead(app)).isFalse());
    assertThat(silent.paused).isFalse();
    heap = 20 * MIB;
    gauge.onCollected(heap);

    channel.advanceTimeBy(100, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();

    assertThat(apps.stream().filter(app -> !app.paused)).hasSizeBetween(200, 300);
    apps.get(999).accounts.close(apps.get(999));
    apps.remove(999);
    pass(Duration.ZERO);
    assertThat(apps).noneMatch(app -> app.paused);
  }

  /** Of what must go as large a part of all weight ends; then the heap is collected again. */
  @Test
  void ofAHeapThatLivesAPartOfTheConnectionsEndsAtATime() {
    for (int i = 0; i < 1_000; i++) {
      app("app", 4 << 10);
    }
    pass(Duration.ofSeconds(1));

    heap = 106 * MIB;
    gauge.onCollected(heap);
    pass(Duration.ofMillis(50));
    assertThat(ended).hasSizeBetween(250, 260);
    assertThat(gauge.isWorthACollection()).isTrue();

    heap = 76 * MIB;
    gauge.onCollected(heap);
    pass(Duration.ofSeconds(1));
    assertThat(ended).hasSizeBetween(250, 260);
  }

  /** Opens a neighbour and a connection that holds 90 MiB of the heap; returns the second. */
  private Connection neighbourAndHeavy() {
    app("neighbour", 4 << 10);
    Connection heavy = app("heavy", 4 << 10);
    heavy.bytes = 90 * MIB;
    pass(Duration.ofSeconds(1));
    return heavy;
  }

  /** {@code heads-for-a-pausing-backend}: the attacker closes while the heap is collected. */
  @Test
  @Conformance("SC-38")
  void noConnectionEndsForOneThatHasClosedSinceTheHeapWasCollected() {
    Connection heavy = neighbourAndHeavy();
    heavy.accounts.close(heavy);

    heap = 100 * MIB;
    gauge.onCollected(heap);
    pass(Duration.ofMillis(50));

    assertThat(ended).isEmpty();
    assertThat(gauge.isWorthACollection()).isTrue();
  }

  @Test
  @Conformance("SC-38")
  void noConnectionEndsForOneThatEndsWhileTheHeapIsCollected() {
    neighbourAndHeavy();
    heap = 100 * MIB;
    gauge.onCollected(heap);
    gauge.onCollecting();
    pass(Duration.ofMillis(50));
    assertThat(ended).containsExactly("heavy");

    gauge.onCollected(heap);
    pass(Duration.ofMillis(50));

    assertThat(ended).containsExactly("heavy");
    assertThat(gauge.now().heap().held()).isLessThan(10 * MIB);
  }

  @Test
  void aConfigurationThatHasGrownIsNotTakenForPeers() {
    heap = 106 * MIB;
    gauge.onCollected(heap);

    assertThat(gauge.now().heap().held()).isZero();
    assertThat(gauge.isFull()).isFalse();
  }

  /** Collects the heap some times, so that connections end until enough is free. */
  private void collect(long liveBytes) {
    heap = liveBytes;
    for (int i = 0; i < 5; i++) {
      gauge.onCollecting();
      gauge.onCollected(heap);
      pass(Duration.ofSeconds(1));
    }
  }

  private void growBesideTwoApps() {
    app("a", 8 << 10);
    app("b", 4 << 10);
    configured = 90 * MIB;
    collect(96 * MIB);
  }

  @Test
  void aConfigurationThatHasGrownBesideAppsEndsNone() {
    growBesideTwoApps();

    assertThat(ended).isEmpty();
    assertThat(gauge.isShort()).isFalse();
    assertThat(gauge.isUsedUp()).isFalse();
  }

  /** Bytes that no weight shows, of one connection or of many, are not those of a configuration. */
  @Test
  void besideALargeConfigurationPeersHoldTheRestOfTheHeap() {
    growBesideTwoApps();
    assertThat(gauge.now().heap().limit())
        .as("80 MiB more than the plan expects, of which peers would get 78 %")
        .isBetween(37 * MIB, 38 * MIB);

    collect(96 * MIB + 33 * MIB);

    assertThat(ended).containsExactly("a", "b");
  }

  @Test
  void whatAConfigurationNoLongerTakesIsTakenForPeersAgain() {
    app("a", 8 << 10);
    configured = 90 * MIB;
    collect(96 * MIB);

    configured = MIB;
    collect(99 * MIB);
    assertThat(ended).as("removed endpoints are live for a while").isEmpty();
    for (int i = 0; i < 10; i++) {
      collect(99 * MIB);
    }

    assertThat(ended).containsExactly("a");
  }

  /** The rest of the heap is free: {@code --max-memory} bounds peers alone. */
  @Test
  void aLimitBelowThePlanIsNotThatOfTheConfiguration() {
    var small =
        new MemoryGauge(
            new Limits(10 * MIB, 10 * MIB, 10 * MIB),
            () -> heap,
            () -> direct,
            () -> configured / MemoryGauge.HEAP_PER_BYTE,
            100 * MIB);
    var unused = small.open(app("a", 8 << 10), channel.eventLoop());
    configured = 50 * MIB;

    small.onCollecting();
    small.onCollected(56 * MIB);

    assertThat(small.now().heap()).isEqualTo(new MemoryView.Held(0, 10 * MIB));
    assertThat(small.isShort()).isFalse();
  }

  /** It does not fit; peers could else end the process. */
  @Test
  void noConfigurationIsSoLargeThatPeersMayFillTheHeap() {
    app("a", 8 << 10);
    configured = 1_000 * MIB;

    collect(106 * MIB);
    assertThat(ended).isEmpty();
    assertThat(gauge.now().heap().limit()).isBetween(29 * MIB, 30 * MIB);

    collect(133 * MIB);
    assertThat(ended).containsExactly("a");
  }

  @Test
  void lackOfMemoryEndsTheHeaviestWhateverIsMeasured() {
    app("light", 1_000);
    app("heavy", 2_000);

    assertThat(gauge.endHeaviest()).isTrue();
    channel.runPendingTasks();
    assertThat(ended).containsExactly("heavy");
  }

  @Test
  void nothingNewBeginsAtTheLimitOfEitherOrOfBoth() {
    direct = 100 * MIB;
    gauge.measure();
    assertThat(gauge.isFull()).isTrue();

    direct = 80 * MIB;
    gauge.onCollected(heap + 69 * MIB);
    assertThat(gauge.isFull()).isFalse();
    direct = 81 * MIB;
    gauge.measure();
    assertThat(gauge.isFull()).isTrue();
  }
}
