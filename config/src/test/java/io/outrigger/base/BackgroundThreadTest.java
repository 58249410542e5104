package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class BackgroundThreadTest {
  private static final int PATIENCE_SECONDS = 60;

  @Test
  void tasksRunInTheirOrderOnAThreadThatHoldsNoProcess() throws Exception {
    List<Integer> ran = new ArrayList<>();
    var decodedOn = new CompletableFuture<Thread>();

    try (var decoding = new BackgroundThread("xds-decode")) {
      for (int i = 0; i < 100; i++) {
        int task = i;
        decoding.execute(() -> ran.add(task));
      }
      decoding.execute(() -> decodedOn.complete(Thread.currentThread()));
      Thread thread = decodedOn.get(PATIENCE_SECONDS, TimeUnit.SECONDS);

      assertThat(ran).hasSize(100).isSorted();
      assertThat(thread.getName()).isEqualTo("xds-decode");
      assertThat(thread.isDaemon()).isTrue();
    }
  }

  @Test
  void whatComesAfterTheEndIsDropped() {
    var decoding = new BackgroundThread("xds-decode");
    List<String> ran = new ArrayList<>();

    decoding.close();
    decoding.execute(() -> ran.add("late"));

    assertThat(ran).isEmpty();
  }
}
