package io.outrigger.program.cli;

import io.outrigger.base.AnyThread;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals of this process (CONTRACT section 2).
 *
 * <pre>
 * SIGTERM, SIGINT  the first asks for a drain, the second for the end at once; one that comes
 *                  within a second of the first repeats it: supervisors signal process and group
 * SIGHUP           nothing, unless {@link #onHangUp} says otherwise
 * SIGUSR1          {@link #onReopen}
 * </pre>
 *
 * <p>The JVM does not act on them itself, which would end it with 143 whatever a drain achieved.
 * The action of a first or second signal runs at most once; when it is set after the signal came,
 * it runs at once, so no signal is lost during a start. Actions run on a thread of the JVM.
 */
@AnyThread
public final class Signals {
  private static final Logger log = LoggerFactory.getLogger(Signals.class);

  static final Duration REPEATS = Duration.ofSeconds(1);

  private final LongSupplier nanoTime;
  private final AtomicReference<@Nullable Long> firstAt = new AtomicReference<>();
  private final Reaction first = new Reaction();
  private final Reaction second = new Reaction();
  private volatile Runnable hangUp = () -> {};
  private volatile Runnable reopen = () -> {};

  Signals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Takes over the signals of this process. Where the JVM does not let us (no module
   * jdk.unsupported, or -Xrs), its own way stays: it begins a shutdown.
   */
  static Signals install() {
    Signals signals = new Signals(System::nanoTime);
    handle("TERM", signals::arrived);
    handle("INT", signals::arrived);
    handle("HUP", () -> signals.hangUp.run());
    handle("USR1", () -> signals.reopen.run());
    return signals;
  }

  private static void handle(String name, Runnable action) {
    try {
      takeOver(name, action);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      log.debug("SIG{} is left to the JVM", name, e);
    }
  }

  /** By reflection, because javac warns of each mention of sun.misc and cannot be told not to. */
  private static void takeOver(String name, Runnable action) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    Object ours =
        Proxy.newProxyInstance(
            Signals.class.getClassLoader(),
            new Class<?>[] {handler},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "handle" -> {
                    action.run();
                    yield null;
                  }
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> System.identityHashCode(self);
                  default -> "outrigger's handler of SIG" + name;
                });
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
  }

  /** Sets what the first signal does. */
  public void onFirst(Runnable action) {
    first.set(action);
  }

  /** Sets what the second signal does; {@link Main} has set it to end the process at once. */
  public void onSecond(Runnable action) {
    second.set(action);
  }

  /** Sets what SIGHUP does. */
  public void onHangUp(Runnable action) {
    hangUp = action;
  }

  /** Sets what SIGUSR1 does: files that a rotation has renamed are to be opened anew. */
  public void onReopen(Runnable action) {
    reopen = action;
  }

  /** SIGTERM or SIGINT came, or something else that asks for an end in the same way. */
  public void arrived() {
    long now = nanoTime.getAsLong();
    if (firstAt.compareAndSet(null, now)) {
      first.fire();
    } else if (now - Objects.requireNonNull(firstAt.get()) >= REPEATS.toNanos()) {
      second.fire();
    }
  }

  /**
   * An event and an action that come in any order. Each side first writes its own and then reads
   * the other's, so one of them sees both; the action runs once.
   */
  private static final class Reaction {
    private final AtomicReference<@Nullable Runnable> action = new AtomicReference<>();
    private final AtomicBoolean fired = new AtomicBoolean();
    private final AtomicBoolean ran = new AtomicBoolean();

    void set(Runnable newAction) {
      action.set(newAction);
      if (fired.get()) {
        runOnce(newAction);
      }
    }

    void fire() {
      fired.set(true);
      Runnable current = action.get();
      if (current != null) {
        runOnce(current);
      }
    }

    private void runOnce(Runnable toRun) {
      if (ran.compareAndSet(false, true)) {
        toRun.run();
      }
    }
  }
}
