package io.outrigger.xds.deps;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A target has no more resources of a kind than the heap has room for. */
class WatchTableTest {
  private final AtomicInteger watches = new AtomicInteger();
  private final WatchTable<Integer, String> table =
      new WatchTable<>(
          (name, watcher) -> {
            watches.incrementAndGet();
            watcher.onChanged(Outcome.ok("value"));
            return watches::decrementAndGet;
          },
          name -> {});

  /** Calls may hold them; they take no memory that is not taken. */
  @Test
  void resourcesInUseNeverLackRoom() {
    int max = (int) (Runtime.getRuntime().maxMemory() / (16 << 10));
    table.beginWalk();
    table.want(-1);
    table.useWanted();

    table.beginWalk();
    for (int name = 0; name < max; name++) {
      table.want(name);
    }

    assertThat(table.want(-1).value()).isPresent();
    assertThat(table.want(max).value()).isEmpty();
  }

  /** Of 4,000 clusters that are all renamed, old and new ones together would fill the heap. */
  @Test
  void newResourcesFindRoomOnceTheOldOnesAreGone() {
    int max = (int) (Runtime.getRuntime().maxMemory() / (16 << 10));
    table.beginWalk();
    for (int name = 0; name < max; name++) {
      table.want(name);
    }
    table.useWanted();
    assertThat(table.retainWanted()).isFalse();

    table.beginWalk();
    assertThat(table.want(max).value()).isEmpty();
    table.useWanted();
    assertThat(table.retainWanted()).as("another walk is of use").isTrue();
    assertThat(watches).hasValue(0);

    table.beginWalk();
    assertThat(table.want(max).value()).isPresent();
    assertThat(table.retainWanted()).isFalse();
  }

  @Test
  void resourcesWithoutRoomInTheHeapFailAndAreNotWatched() {
    int max = (int) (Runtime.getRuntime().maxMemory() / (16 << 10));
    for (int walk = 0; walk < 2; walk++) {
      table.beginWalk();
      for (int name = 0; name < max; name++) {
        assertThat(table.want(name).value()).isPresent();
      }

      assertThat(table.want(max).error().message())
          .isEqualTo(
              "the heap has no room for more than %d clusters (or endpoint lists, or hosts) of a"
                      .formatted(max)
                  + " target; raise the container's memory limit or -Xmx");
      assertThat(table.want(0).value()).as("known to this walk").isPresent();
      assertThat(watches).hasValue(max);
    }

    table.beginWalk();
    assertThat(table.want(max).value()).as("the others are still watched").isEmpty();
    assertThat(table.retainWanted()).isTrue();
    assertThat(watches).hasValue(0);
  }
}
