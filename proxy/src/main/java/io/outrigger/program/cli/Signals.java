package io.outrigger.program.cli;

import io.outrigger.base.AnyThread;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals of this process (CONTRACT section 2).
 *
 * <pre>
 * SIGTERM, SIGINT  the first starts a drain, the second ends the process at once. A signal within
 *                 a second of the first is ignored: supervisors signal both process and group
 * SIGHUP           ignored, unless {@link #onHangUp} sets an action
 * SIGUSR1          runs the action of {@link #onReopen}
 * </pre>
 *
 * <p>The JVM's own handlers are replaced, since they would end the process with 143 even after a
 * complete drain. The first and the second signal each have an action, which runs once. An action
 * that is set after its signal has arrived runs immediately, so no signal is lost during a start.
 * Actions run on a thread of the JVM.
 */
@AnyThread
public final class Signals {
  private static final Logger log = LoggerFactory.getLogger(Signals.class);

  static final Duration REPEAT_WINDOW = Duration.ofSeconds(1);

  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable Long> firstAt = new AtomicReference<>();
  private final CompletableFuture<Void> first = new CompletableFuture<>();
  private final CompletableFuture<Void> second = new CompletableFuture<>();
  private volatile Runnable hangUp = () -> {};
  private volatile Runnable reopen = () -> {};

  Signals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Installs the handlers for the signals of this process. Without the module jdk.unsupported, the
   * JVM's own handlers remain, which begin a shutdown of the JVM. With the flag -Xrs, SIGTERM ends
   * the process at once, as for a process without signal handlers.
   */
  static Signals install() {
    Signals signals = new Signals(System::nanoTime);
    handle("TERM", signals::arrived);
    handle("INT", signals::arrived);
    handle("HUP", () -> signals.hangUp.run());
    handle("USR1", () -> signals.reopen.run());
    return signals;
  }

  /**
   * Installs one handler. Reflection is used because javac warns about every use of sun.misc, and
   * the warning cannot be suppressed.
   */
  private static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                action.run(); // the JVM calls no other method than handle
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      log.debug("SIG{} is left to the JVM", name, e);
    }
  }

  public void onFirst(Runnable action) {
    var unused = first.thenRun(action);
  }

  /** Sets the action of the second signal, by which {@link Main} halts the process. */
  public void onSecond(Runnable action) {
    var unused = second.thenRun(action);
  }

  public void onHangUp(Runnable action) {
    hangUp = action;
  }

  /** Sets the action of SIGUSR1, which reopens the access log after a log rotation. */
  public void onReopen(Runnable action) {
    reopen = action;
  }

  /** Called on SIGTERM or SIGINT, and on other requests to end the process. */
  public void arrived() {
    long now = nanoTime.getAsLong();
    if (firstAt.compareAndSet(null, now)) {
      first.complete(null);
    } else if (now - Objects.requireNonNull(firstAt.get()) >= REPEAT_WINDOW.toNanos()) {
      second.complete(null);
    }
  }
}
