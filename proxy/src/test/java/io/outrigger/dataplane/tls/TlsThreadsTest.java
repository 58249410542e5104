package io.outrigger.dataplane.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TlsThreadsTest {
  private final Executor threads = TlsThreads.start(1);
  private final CountDownLatch all = new CountDownLatch(7);
  private final List<String> done = new CopyOnWriteArrayList<>();

  /** A handshake of three parts, each of which brings the next. */
  private void handshake(String name) {
    Executor own = TlsThreads.ofHandshake(threads);
    own.execute(
        () -> {
          note(name + "1");
          own.execute(
              () -> {
                note(name + "2");
                own.execute(() -> note(name + "3"));
              });
        });
  }

  private void note(String part) {
    done.add(part);
    all.countDown();
  }

  @Test
  void aHandshakeThatHasBegunEndsBeforeTheNextBegins() throws InterruptedException {
    var line = new CountDownLatch(1);
    threads.execute(
        () -> {
          try {
            line.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    handshake("a");
    handshake("b");
    threads.execute(() -> note("context"));
    line.countDown();

    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(done).containsExactly("context", "a1", "a2", "a3", "b1", "b2", "b3");
  }
}
