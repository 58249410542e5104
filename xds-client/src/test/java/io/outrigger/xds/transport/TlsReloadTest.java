package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class TlsReloadTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final Deque<Runnable> readings = new ArrayDeque<>();
  private String problem = "";

  private TlsReload start(Duration interval) {
    var reload =
        new TlsReload(
            loop,
            readings::add,
            "cp.test:443",
            interval,
            () -> {
              if (!problem.isEmpty()) {
                throw new IllegalArgumentException(problem);
              }
            });
    loop.inside(reload::start);
    return reload;
  }

  private void read() {
    readings.remove().run();
    loop.run();
  }

  @Test
  void theFilesAreReadAgainEachInterval() {
    start(Duration.ofMinutes(10));

    loop.advance(Duration.ofSeconds(599));
    assertThat(readings).isEmpty();
    loop.advance(Duration.ofSeconds(1));
    assertThat(readings).hasSize(1);
    loop.advance(Duration.ofMinutes(30));
    assertThat(readings).as("one at a time").hasSize(1);
    read();
    loop.advance(Duration.ofMinutes(10));
    assertThat(readings).hasSize(1);
  }

  @Test
  void aReadingThatFailsIsKnownUntilOneSucceeds() {
    TlsReload reload = start(Duration.ofSeconds(5));

    problem = "/a.pem is not there";
    loop.advance(Duration.ofSeconds(5));
    read();
    loop.inside(() -> assertThat(reload.problem()).isEqualTo("/a.pem is not there"));

    problem = "";
    loop.advance(Duration.ofSeconds(5));
    read();
    loop.inside(() -> assertThat(reload.problem()).isEmpty());
  }

  @Test
  void anIntervalOfNothingIsOneSecond() {
    start(Duration.ZERO);

    loop.advance(Duration.ofMillis(999));
    assertThat(readings).isEmpty();
    loop.advance(Duration.ofMillis(1));
    assertThat(readings).hasSize(1);
  }

  @Test
  void nothingIsReadAfterTheEndNotEvenByWhatRan() {
    TlsReload reload = start(Duration.ofSeconds(5));
    loop.advance(Duration.ofSeconds(5));

    loop.inside(reload::close);
    read();
    loop.advance(Duration.ofMinutes(1));

    assertThat(readings).isEmpty();
  }
}
