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

  @Test
  void resourcesWithoutRoomInTheHeapFailAndAreNotWatched() {
    int max = (int) (Runtime.getRuntime().maxMemory() / (32 << 10));
    for (int walk = 0; walk < 2; walk++) {
      table.beginWalk();
      for (int name = 0; name < max; name++) {
        assertThat(table.want(name).value()).isPresent();
      }

      assertThat(table.want(max).error().message())
          .isEqualTo(
              "more than %d of them do not fit into the heap; raise the container's memory limit or"
                      .formatted(max)
                  + " -Xmx");
      assertThat(table.want(0).value()).as("known to this walk").isPresent();
      assertThat(watches).hasValue(max);
    }

    table.beginWalk();
    assertThat(table.want(max).value()).as("there is room in this walk").isPresent();
    table.useWanted();
    table.retainWanted();
    assertThat(watches).hasValue(1);
  }
}
