package io.outrigger.proxy.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.proxy.memory.MemoryView.Ended;
import io.outrigger.proxy.memory.MemoryView.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class MemoryLedgerTest {
  private static final int MIB = 1 << 20;

  private final MemoryLedger ledger =
      new MemoryLedger(new Limits(100L * MIB, 100L * MIB, 150L * MIB));
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopAccounts loop = ledger.on(channel.eventLoop());
  private final List<String> asked = new ArrayList<>();
  private Runnable onLetGo = () -> {};

  /** Gives back all that it is asked for, down to nothing. */
  private final class Peer implements MemoryHolder {
    final String name;
    final MemoryAccount account;
    boolean paused;
    boolean shared;
    int ticks;
    int shorts;
    Runnable onTick = () -> {};

    Peer(String name) {
      this(name, loop);
    }

    Peer(String name, LoopAccounts of) {
      this.name = name;
      account = of.open(PeerSide.APP, this);
    }

    Peer holds(int mib) {
      account.heap((long) mib * MIB);
      return this;
    }

    @Override
    public void letGo(long bytes) {
      asked.add(name);
      onLetGo.run();
      account.heap(-Math.min(bytes, account.heapBytes()));
      account.direct(-Math.min(bytes, account.directBytes()));
      account.onStreamEnded();
    }

    @Override
    public boolean isHeavyByReading() {
      return true;
    }

    @Override
    public void pauseReading(boolean value) {
      paused = value;
    }

    @Override
    public void onTick(long nowNanos) {
      ticks++;
      onTick.run();
    }

    @Override
    public void onShort() {
      shorts++;
    }

    @Override
    public boolean isShared() {
      return shared;
    }

    @Override
    public String peer() {
      return name;
    }

    @Override
    public int streams() {
      return 1;
    }
  }

  private void nextTurn() {
    channel.advanceTimeBy(1, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  private void tick(long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  @Test
  void theHeaviestLetGoUntilThreeQuartersAreHeld() {
    Peer light = new Peer("light").holds(10);
    new Peer("heavy").holds(50);
    light.holds(26);

    channel.runPendingTasks();

    assertThat(asked).containsExactly("heavy");
    assertThat(ledger.heapBytes()).isEqualTo(75L * MIB);
    assertThat(light.account.heapBytes()).isEqualTo(36L * MIB);
    assertThat(ledger.ended(PeerSide.APP, Ended.STREAM)).isEqualTo(1);
  }

  @Test
  void belowThatNobodyIsAsked() {
    new Peer("one").holds(84);

    channel.runPendingTasks();

    assertThat(asked).isEmpty();
    assertThat(ledger.isShort()).isTrue();
    assertThat(ledger.isFull()).isFalse();
  }

  @Test
  void theSumOfHeapAndBuffersHasALimitOfItsOwn() {
    Peer both = new Peer("both").holds(70);
    both.account.direct(60L * MIB);

    channel.runPendingTasks();

    assertThat(asked).isNotEmpty();
    assertThat(ledger.heapBytes() + ledger.directBytes()).isLessThanOrEqualTo(150L * MIB * 3 / 4);
  }

  @Test
  void whoFindsNoMemoryInATickKeepsNobodyWaiting() {
    Peer early = new Peer("early");
    Peer failing = new Peer("failing");
    Peer late = new Peer("late");
    failing.onTick =
        () -> {
          throw new OutOfMemoryError("in a test");
        };

    tick(1_000);
    tick(1_000);

    assertThat(List.of(early.ticks, failing.ticks, late.ticks)).containsExactly(2, 2, 2);
  }

  @Test
  void aTickThatFailsIsFollowedByTheNext() {
    Peer failing = new Peer("failing");
    failing.onTick =
        () -> {
          throw new IllegalStateException("in a test");
        };

    tick(1_000);
    tick(1_000);

    assertThat(failing.ticks).isEqualTo(2);
  }

  /** A peer at work holds more at this moment, but its bytes come and go. */
  @Test
  void bytesThatLieStillWeighMoreThanThoseThatMove() {
    Peer stuck = new Peer("stuck").holds(10);
    Peer busy = new Peer("busy").holds(12);
    for (int i = 0; i < 50; i++) {
      busy.account.heap(-5L * MIB);
      busy.holds(5);
    }
    for (int i = 0; i < 9; i++) {
      new Peer("new").holds(7);
    }
    busy.account.heap(-5L * MIB);
    busy.holds(5);

    channel.runPendingTasks();

    assertThat(asked.get(0)).isEqualTo("stuck");
    assertThat(stuck.account.heapBytes()).isLessThan(10L * MIB);
    assertThat(busy.account.heapBytes()).isEqualTo(12L * MIB);
  }

  /**
   * While others keep the loop busy its calls pile up; at the last tick it held next to nothing.
   */
  @Test
  void whatPilesUpOfOneAtWorkDoesNotCountAgainstIt() {
    Peer neighbour = new Peer("neighbour").holds(1);
    tick(1_000);
    neighbour.holds(1);
    neighbour.account.heap(-MIB);
    neighbour.holds(10);
    for (int i = 0; i < 16; i++) {
      new Peer("attacker").holds(5);
    }

    channel.runPendingTasks();

    assertThat(asked).isNotEmpty().containsOnly("attacker");
    assertThat(neighbour.account.heapBytes()).isEqualTo(11L * MIB);
  }

  /** Of two that hold as much, one has just given something back. */
  @Test
  void whoDoesNothingGoesFirst() {
    Peer atWork = new Peer("at work").holds(12);
    Peer idle = new Peer("idle").holds(12);
    for (int i = 0; i < 6; i++) {
      new Peer("small").holds(10);
    }
    atWork.account.heap(-1);
    atWork.account.heap(1);
    new Peer("small").holds(10);

    channel.runPendingTasks();

    assertThat(asked.get(0)).isEqualTo("idle");
    assertThat(atWork.account.heapBytes()).isEqualTo(12L * MIB);
    assertThat(idle.account.heapBytes()).isLessThan(12L * MIB);
  }

  /** As a caller does, beside those whose only call was as long ago as its last. */
  @Test
  void whoGivesBackAllTheWhileWeighsLess() {
    Peer caller = new Peer("caller").holds(12);
    Peer once = new Peer("once").holds(10);
    for (int i = 0; i < 6; i++) {
      new Peer("other").holds(10);
    }
    for (int i = 0; i < 100; i++) {
      caller.account.heap(-1);
      caller.account.heap(1);
    }
    once.account.heap(-1);
    once.account.heap(1);
    new Peer("late").holds(4);

    channel.runPendingTasks();

    assertThat(asked).doesNotContain("caller");
    assertThat(caller.account.heapBytes()).isEqualTo(12L * MIB);
  }

  /** A thousand heads that came a moment ago; and the others hold nothing that would help. */
  @Test
  void whoHoldsMuchOfAllIsTheCauseAtWorkOrNot() {
    Peer waiting = new Peer("waiting").holds(1);
    Peer attacker = new Peer("attacker").holds(80);
    for (int i = 0; i < 100; i++) {
      attacker.account.heap(-MIB);
      attacker.holds(1);
    }
    attacker.holds(4);

    channel.runPendingTasks();

    assertThat(asked).containsExactly("attacker");
    assertThat(waiting.account.heapBytes()).isEqualTo(MIB);
  }

  /** To end one takes system calls: others are served in between. */
  @Test
  void aFewLetGoAtATime() {
    channel.freezeTime();
    for (int i = 0; i < 120; i++) {
      new Peer("small").holds(1);
    }

    channel.runPendingTasks();
    assertThat(asked).hasSize(32);
    nextTurn();
    assertThat(asked).hasSize(45);
    assertThat(ledger.heapBytes()).isEqualTo(75L * MIB);
  }

  @Test
  void inATurnTheyLetGoForTwoMillisecondsAtMost() {
    channel.freezeTime();
    onLetGo = () -> channel.advanceTimeBy(700, TimeUnit.MICROSECONDS);
    for (int i = 0; i < 90; i++) {
      new Peer("small").holds(1);
    }

    channel.runPendingTasks();
    assertThat(asked).hasSize(3);
    nextTurn();
    assertThat(asked).hasSize(6);
    onLetGo = () -> channel.advanceTimeBy(1, TimeUnit.SECONDS);
    nextTurn();
    assertThat(asked).as("one, however long it takes").hasSize(7);
  }

  /** Thousands are looked at in one tick. */
  @Test
  void aFewAreLookedAtInATurn() {
    channel.freezeTime();
    List<Peer> peers =
        Stream.generate(() -> new Peer("app")).limit(LoopAccounts.LOOKED_AT_ONCE + 2).toList();

    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    assertThat(ticks(peers)).isEqualTo(LoopAccounts.LOOKED_AT_ONCE);
    peers.get(0).account.close(); // the last one takes its place
    nextTurn();
    assertThat(ticks(peers)).isEqualTo(LoopAccounts.LOOKED_AT_ONCE + 2);
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    nextTurn();
    assertThat(ticks(peers)).isEqualTo(2 * LoopAccounts.LOOKED_AT_ONCE + 3);
  }

  private static int ticks(List<Peer> peers) {
    return peers.stream().mapToInt(peer -> peer.ticks).sum();
  }

  /** Time bounds are looked at once a second, whatever else there is to look at. */
  @Test
  void whileMemoryIsShortASecondIsStillASecond() {
    channel.freezeTime();
    Peer peer = new Peer("app").holds(60);

    tick(1_000);
    assertThat(List.of(peer.ticks, peer.shorts)).containsExactly(1, 1);
    for (int i = 0; i < 9; i++) {
      tick(100);
      nextTurn(); // after one in which it was read from
    }
    assertThat(List.of(peer.ticks, peer.shorts)).containsExactly(1, 10);
    tick(100);
    nextTurn();
    assertThat(List.of(peer.ticks, peer.shorts)).containsExactly(2, 11);

    peer.account.heap(-30L * MIB);
    tick(100);
    nextTurn();
    tick(1_000);
    assertThat(List.of(peer.ticks, peer.shorts)).containsExactly(3, 11);
  }

  /** Between two reads they have let go; what was posted meanwhile finds nothing to do. */
  @Test
  void aRoundForWhichNothingIsLeftIsNoReasonToWaitForTheNextTick() {
    for (int again = 0; again < 3; again++) {
      Peer heavy = new Peer("heavy").holds(90);
      heavy.account.relieveIfHeavy();
      assertThat(asked).hasSize(1 + again);
      channel.runPendingTasks();
    }
    assertThat(ledger.heapBytes()).isEqualTo(75L * MIB);
  }

  /** All apps share it, and how many there are is our own affair. */
  @Test
  void aConnectionToABackendThatHoldsLittleIsNotEnded() {
    Peer backend = new Peer("backend");
    backend.shared = true;
    MemoryAccount shared = loop.open(PeerSide.BACKEND, backend);
    shared.heap(60_000);
    for (int i = 0; i < 9_000; i++) {
      new Peer("app").account.heap(10_000);
    }

    channel.runPendingTasks();

    assertThat(asked).isNotEmpty().containsOnly("app");
    assertThat(shared.heapBytes()).isEqualTo(60_000);
  }

  /** Else more would come than goes, and the light ones would be next. */
  @Test
  void asMuchGoesAsComesMeanwhile() {
    channel.freezeTime();
    Peer light = new Peer("light");
    light.account.heap(1_000);
    for (int i = 0; i < 120; i++) {
      new Peer("small").holds(1);
    }
    channel.runPendingTasks();
    IntStream.range(0, 40).forEach(i -> new Peer("late").holds(1));
    nextTurn();

    assertThat(asked).hasSize(32 + 40);
    nextTurn();
    assertThat(ledger.heapBytes()).isEqualTo(75L * MIB);
    assertThat(light.account.heapBytes()).isEqualTo(1_000);
  }

  @Test
  void aClosedAccountHoldsNothing() {
    Peer gone = new Peer("gone").holds(60);
    gone.account.direct(MIB);
    Peer stays = new Peer("stays").holds(1);

    gone.account.close();
    gone.account.close();

    assertThat(ledger.heapBytes()).isEqualTo(MIB);
    assertThat(ledger.directBytes()).isZero();
    tick(1_000);
    assertThat(gone.ticks).isZero();
    assertThat(stays.ticks).isEqualTo(1);
  }

  @Test
  void whoFillsMemoryIsNotReadFromForAMoment() {
    Peer heavy = new Peer("heavy").holds(59);
    Peer light = new Peer("light");
    assertThat(heavy.paused).isFalse();

    heavy.holds(1);
    light.account.heap(100 << 10);
    assertThat(heavy.paused).isTrue();
    assertThat(light.paused).isFalse();

    tick(LoopAccounts.REST_MILLIS - 1);
    assertThat(heavy.paused).isTrue();
    tick(1);
    assertThat(heavy.paused).isFalse();
    heavy.holds(1);
    assertThat(heavy.paused).isTrue();

    heavy.account.close();
    tick(LoopAccounts.REST_MILLIS);
    assertThat(heavy.paused).isTrue(); // nobody touches what is closed
  }

  @Test
  void theHeaviestAreReadFromInTurnsWhileMemoryIsShort() {
    Peer heavy = new Peer("heavy").holds(60);
    Peer light = new Peer("light").holds(2);
    channel.freezeTime();
    tick(1_000);
    nextTurn();
    assertThat(heavy.paused).isTrue();
    assertThat(light.paused).isFalse();

    tick(100);
    assertThat(heavy.paused).as("for a turn, though it holds as much").isFalse();
    nextTurn();
    assertThat(heavy.paused).isTrue();

    heavy.account.heap(-30L * MIB);
    tick(100);
    nextTurn();

    assertThat(heavy.paused).isFalse();
  }

  @Test
  void anotherLoopsHeavierConnectionsGoFirst() {
    var otherChannel = new EmbeddedChannel();
    LoopAccounts other = ledger.on(otherChannel.eventLoop());
    var attacker = new Peer("attacker on another loop");
    MemoryAccount elsewhere = other.open(PeerSide.APP, attacker);
    elsewhere.heap(80L * MIB);
    otherChannel.advanceTimeBy(1, TimeUnit.SECONDS);
    otherChannel.runScheduledPendingTasks(); // it has looked at its own
    Peer neighbour = new Peer("neighbour").holds(8);

    channel.runPendingTasks();

    assertThat(asked).isEmpty();
    assertThat(neighbour.account.heapBytes()).isEqualTo(8L * MIB);
  }

  /** A loop weighs all of its connections once a second, and an attack takes less. */
  @Test
  void anotherLoopsConnectionsGoFirstThoughItHasNotLookedAtThemYet() {
    LoopAccounts other = ledger.on(new EmbeddedChannel().eventLoop());
    MemoryAccount elsewhere = other.open(PeerSide.APP, new Peer("attacker on another loop"));
    elsewhere.heap(80L * MIB);
    Peer neighbour = new Peer("neighbour").holds(8);

    channel.runPendingTasks();

    assertThat(asked).isEmpty();
    assertThat(neighbour.account.heapBytes()).isEqualTo(8L * MIB);
  }

  @Test
  void anotherLoopsConnectionsThatHaveLetGoAreNotWaitedFor() {
    var otherChannel = new EmbeddedChannel();
    LoopAccounts other = ledger.on(otherChannel.eventLoop());
    Peer attacker = new Peer("attacker", other).holds(90);
    otherChannel.runPendingTasks();
    assertThat(asked).containsExactly("attacker");
    attacker.account.close();
    otherChannel.runPendingTasks();
    asked.clear();

    new Peer("heavy").holds(44);
    new Peer("light").holds(42);
    channel.runPendingTasks();

    assertThat(asked).containsExactly("heavy");
  }

  /** The other loop has not run since: its thread waits for a processor. */
  @Test
  void beyondTheLimitALoopDoesNotWaitForAnother() {
    LoopAccounts other = ledger.on(new EmbeddedChannel().eventLoop());
    MemoryAccount elsewhere = other.open(PeerSide.APP, new Peer("attacker on another loop"));
    elsewhere.heap(80L * MIB);
    Peer neighbour = new Peer("neighbour");
    neighbour.account.heap(50 << 10);
    Peer heavy = new Peer("heavy").holds(8);
    channel.runPendingTasks();
    assertThat(asked).isEmpty();

    heavy.holds(30);
    loop.relieveIfHeavy();
    channel.runPendingTasks();

    assertThat(asked).containsExactly("heavy");
    assertThat(neighbour.account.heapBytes()).isEqualTo(50 << 10);
  }

  @Test
  void whatBuffersTakeBeyondWhatIsCountedCountsForAQuarterAtMost() {
    Peer some = new Peer("some");
    some.account.direct(34L * MIB);
    assertThat(ledger.isShort()).isFalse();

    ledger.askInUse(() -> 41L * MIB);
    ledger.look();
    assertThat(ledger.isShort()).isTrue();
    ledger.askInUse(() -> 500L * MIB);
    ledger.look();
    channel.runPendingTasks();

    assertThat(ledger.isFull()).isFalse();
    assertThat(ledger.directBytes()).isEqualTo(34L * MIB);
  }

  @Test
  void aViewNamesTheHeaviest() {
    new Peer("light").holds(1);
    new Peer("heavy").holds(2);

    var view = ledger.view(1).toCompletableFuture();
    channel.runPendingTasks();

    assertThat(view.join().heaviest())
        .containsExactly(new MemoryView.Holder(PeerSide.APP, "heavy", 2L * MIB, 0, 1));
    assertThat(view.join().heapBytes()).isEqualTo(3L * MIB);
  }
}
