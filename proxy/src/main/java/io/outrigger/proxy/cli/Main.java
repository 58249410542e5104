package io.outrigger.proxy.cli;

import io.outrigger.base.AnyThread;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs one command line in this process and ends it with the command's exit code.
 *
 * <p>The end is a halt: a JVM that a signal ends by itself exits with 143, however well its
 * shutdown hooks drained. A shutdown that begins elsewhere (SIGHUP, an exit in a library) is taken
 * for a first signal: its hook asks for the drain, waits for the program's end, and halts with its
 * code.
 */
@AnyThread
public final class Main {
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicInteger exitCode = new AtomicInteger(Failures.FAILED);

  private Main() {}

  /** Runs the command line {@code args}; does not return. */
  public static void start(Programs programs, String... args) {
    new Main().run(programs, args);
  }

  private void run(Programs programs, String... args) {
    Surroundings surroundings = Surroundings.ofProcess(this::signals);
    exitCode.set(OutriggerCommand.execute(programs, surroundings, args));
    ended.countDown();
    surroundings.out().flush();
    surroundings.err().flush();
    Runtime.getRuntime().halt(exitCode.get());
  }

  private Signals signals() {
    Signals signals = Signals.install();
    signals.onSecond(
        () -> {
          System.err.println("outrigger: second signal: ended with requests under way");
          Runtime.getRuntime().halt(Failures.FAILED);
        });
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  signals.arrived();
                  awaitEnd();
                  Runtime.getRuntime().halt(exitCode.get());
                },
                "outrigger-shutdown"));
    return signals;
  }

  private void awaitEnd() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody waits longer for us
    }
  }
}
