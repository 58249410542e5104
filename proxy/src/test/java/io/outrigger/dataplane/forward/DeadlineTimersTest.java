package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineTimersTest {
  private static final long TICK = 1 << 21;

  private final FakeControlLoop time = new FakeControlLoop();
  private int alarms;
  private final DeadlineTimers timers =
      new DeadlineTimers(
          time::nanoTime,
          (delay, task) -> {
            alarms++;
            return time.schedule(delay, task);
          });
  private final List<String> fired = new ArrayList<>();

  private class Call extends DeadlineTimers.Entry {
    private final String name;
    private long firedAt = -1;

    Call(String name) {
      this.name = name;
    }

    @Override
    void onDeadline() {
      firedAt = time.nanoTime();
      fired.add(name);
    }
  }

  @Conformance("SC-07")
  @Test
  void neverEarlyAndAtMostATickLate() {
    var random = new Random(42);
    List<Call> calls = new ArrayList<>();
    List<Long> deadlines = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      long limit = random.nextLong(Duration.ofSeconds(90).toNanos());
      var call = new Call("call " + i);
      timers.arm(call, time.nanoTime(), limit);
      calls.add(call);
      deadlines.add(time.nanoTime() + limit);
      time.advance(Duration.ofNanos(random.nextLong(5_000_000)));
    }
    time.advance(Duration.ofSeconds(120));

    for (int i = 0; i < calls.size(); i++) {
      long late = calls.get(i).firedAt - deadlines.get(i);
      assertThat(late).as(calls.get(i).name).isBetween(0L, 4_200_000L);
    }
    assertThat(timers.armed()).isZero();
  }

  @Test
  void oneAlarmServesManyCallsWithTheSameLimit() {
    for (int i = 0; i < 1_000; i++) {
      var call = new Call("call");
      timers.arm(call, time.nanoTime(), Duration.ofSeconds(15).toNanos());
      time.advance(Duration.ofMillis(1));
      timers.disarm(call);
    }

    assertThat(alarms).isEqualTo(1);
    time.advance(Duration.ofSeconds(60));
    assertThat(fired).isEmpty();
    assertThat(time.pendingTimers()).isZero();
  }

  @Test
  void callsWhoseDeadlinesAreFarAwayDoNotWakeTheLoop() {
    long hour = Duration.ofHours(1).toNanos();
    for (int i = 0; i < 500; i++) {
      timers.arm(new Call("call"), time.nanoTime(), hour + i * TICK);
    }
    timers.arm(new Call("soon"), time.nanoTime(), TICK);
    time.advance(Duration.ofMinutes(1));

    assertThat(fired).containsExactly("soon");
    assertThat(alarms).as("an hour, a tick, and again an hour").isEqualTo(3);
  }

  @Test
  void theLoopDoesOtherWorkBetweenThousandsOfEqualDeadlines() {
    var first =
        new Call("call") {
          @Override
          void onDeadline() {
            time.execute(() -> fired.add("a read"));
          }
        };
    timers.arm(first, time.nanoTime(), TICK);
    for (int i = 0; i < 9_000; i++) {
      timers.arm(new Call("call"), time.nanoTime(), TICK);
    }

    time.advance(Duration.ofMillis(5));

    assertThat(fired).hasSize(9_001);
    assertThat(fired.indexOf("a read")).isLessThan(100);
  }

  @Test
  void sixHundredThousandCallsWhoseDeadlinesFallLeaveOneAlarm() {
    long limit = Duration.ofHours(2).toNanos();
    for (int i = 0; i < 600_000; i++) {
      var call = new Call("call");
      timers.arm(call, time.nanoTime(), limit - i * TICK);
      timers.disarm(call);

      assertThat(time.pendingTimers()).isEqualTo(1);
    }
  }

  @Test
  void aSoonerDeadlineIsNotHeldUpByALaterOne() {
    timers.arm(new Call("late"), 0, Duration.ofHours(1).toNanos());
    timers.arm(new Call("soon"), 0, Duration.ofMillis(50).toNanos());

    time.advance(Duration.ofMillis(60));
    assertThat(fired).containsExactly("soon");

    time.advance(Duration.ofHours(1));
    assertThat(fired).containsExactly("soon", "late");
  }

  @Test
  void oneThatFailsDoesNotHoldUpTheOthers() {
    long due = Duration.ofMillis(50).toNanos();
    timers.arm(new Call("first"), 0, due);
    timers.arm(
        new DeadlineTimers.Entry() {
          @Override
          void onDeadline() {
            throw new IllegalStateException("on purpose");
          }
        },
        0,
        due);
    timers.arm(new Call("second"), 0, due);
    timers.arm(new Call("later"), 0, 2 * due);

    time.advance(Duration.ofMillis(60));
    assertThat(fired).containsExactlyInAnyOrder("first", "second");

    time.advance(Duration.ofMillis(60));
    assertThat(fired).hasSize(3).endsWith("later");
    assertThat(timers.armed()).isZero();
  }

  @Test
  void armingAgainReplacesAndDisarmingTwiceIsHarmless() {
    var call = new Call("call");
    timers.arm(call, 0, Duration.ofSeconds(10).toNanos());
    timers.arm(call, 0, Duration.ofSeconds(1).toNanos());
    time.advance(Duration.ofMillis(1010));
    assertThat(fired).containsExactly("call");

    timers.disarm(call);
    timers.disarm(call);
    assertThat(timers.armed()).isZero();
  }

  @Test
  void aDeadlineInThePastFiresWithTheNextTick() {
    time.advance(Duration.ofSeconds(100));

    timers.arm(new Call("past"), 0, Duration.ofSeconds(1).toNanos());
    time.advance(Duration.ofMillis(5));

    assertThat(fired).containsExactly("past");
  }

  @Test
  void aTimeThatBeganLongAgoEndsInItsTime() {
    time.advance(Duration.ofSeconds(100));

    timers.arm(new Call("waited"), 0, Duration.ofSeconds(101).toNanos());
    time.advance(Duration.ofMillis(999));
    assertThat(fired).isEmpty();
    time.advance(Duration.ofMillis(6));

    assertThat(fired).containsExactly("waited");
  }

  @Test
  void callsOfTheSameTickShareTheirAlarm() {
    long due = Duration.ofMillis(50).toNanos();
    timers.arm(new Call("one"), 0, due);
    timers.arm(new Call("other"), 0, due);

    assertThat(timers.armed()).isEqualTo(2);
    assertThat(alarms).isEqualTo(1);
    time.advance(Duration.ofMillis(60));
    assertThat(fired).containsExactlyInAnyOrder("one", "other");
  }

  @Test
  void aDeadlineThatIsATickFiresAtThatTick() {
    timers.arm(new Call("call"), 0, 10 * TICK);

    time.advance(Duration.ofNanos(10 * TICK - 1));
    assertThat(fired).isEmpty();
    time.advance(Duration.ofNanos(1));

    assertThat(fired).containsExactly("call");
  }

  @Test
  void aDeadlineInThePastFiresWithTheNextTickBesideOthers() {
    timers.arm(new Call("before"), 0, Duration.ofSeconds(100).toNanos());
    timers.arm(new Call("later"), 0, Duration.ofSeconds(200).toNanos());
    time.advance(Duration.ofSeconds(101));

    timers.arm(new Call("past"), 0, Duration.ofSeconds(1).toNanos());
    time.advance(Duration.ofMillis(5));

    assertThat(fired).containsExactly("before", "past");
  }

  /** The loop was busy past a deadline, and arms another call before the alarm runs. */
  @Test
  void aCallThatComesWhileAnAlarmIsOverdueHidesNoDeadline() {
    timers.arm(new Call("overdue"), 0, Duration.ofMillis(50).toNanos());

    time.inside(
        () -> {
          time.costOfReading(Duration.ofMillis(80));
          time.nanoTime();
          time.costOfReading(Duration.ZERO);
          timers.arm(new Call("new"), time.nanoTime(), Duration.ofSeconds(1).toNanos());
        });

    assertThat(fired).containsExactly("overdue");
  }

  /** A monotonic clock may start at any value, also at a negative one. */
  @ParameterizedTest
  @ValueSource(longs = {7_000_000_000L, 1L << 61, -5, -(1L << 61)})
  void whereTheClockBeginsDoesNotMatter(long origin) {
    LongSupplier clock = () -> origin + time.nanoTime();
    var shifted = new DeadlineTimers(clock, time);
    time.advance(Duration.ofSeconds(3));
    shifted.arm(new Call("one"), clock.getAsLong(), Duration.ofMillis(50).toNanos());
    shifted.arm(new Call("two"), clock.getAsLong(), Duration.ofSeconds(40).toNanos());

    time.advance(Duration.ofMillis(49));
    assertThat(fired).isEmpty();
    time.advance(Duration.ofMillis(5));
    assertThat(fired).containsExactly("one");
    time.advance(Duration.ofSeconds(39));
    assertThat(fired).hasSize(1);
    time.advance(Duration.ofSeconds(1));
    assertThat(fired).containsExactly("one", "two");
  }
}
