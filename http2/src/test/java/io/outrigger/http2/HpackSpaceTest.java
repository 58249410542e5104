package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each thread has its own buffers; unusually large ones are not kept. */
final class HpackSpaceTest {
  private final HpackSpace.WorkBuffer room = new HpackSpace.WorkBuffer();

  @Test
  void eachThreadHasOneOfItsOwn() {
    HpackSpace ours = HpackSpace.current();
    var theirs = new CompletableFuture<HpackSpace>();
    new Thread(() -> theirs.complete(HpackSpace.current())).start();

    assertThat(HpackSpace.current()).isSameAs(ours);
    assertThat(theirs.join()).isNotNull().isNotSameAs(ours);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({"0, 1024", "1024, 1024", "1025, 2048", "2048, 2048", "2049, 4096", "16384, 16384"})
  void roomGrowsToThePowerOfTwoThatIsEnoughAndIsKept(int size, int length) {
    byte[] bytes = room.of(size);

    assertThat(bytes).hasSize(length);
    assertThat(room.of(size)).isSameAs(bytes);
    assertThat(room.of(1)).isSameAs(bytes);
  }

  @Test
  void roomForAnUnusualBlockIsAsLargeAsThatAndNotKept() {
    byte[] usual = room.of(3_000);
    byte[] large = room.of(16_385);

    assertThat(large).hasSize(16_385);
    assertThat(room.of(16_385)).isNotSameAs(large);
    assertThat(room.of(3_000)).isSameAs(usual);
  }
}
