package io.outrigger.proxy.cli;

import io.outrigger.base.AnyThread;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SIGTERM and SIGINT: the first asks for an end, the second insists. While they are installed the
 * JVM does not act on them itself, which would end it with 143 whatever a drain achieved.
 *
 * <p>An action that is set after its signal came runs at once, so no signal is lost during a start.
 * Actions run on a thread of the JVM, each at most once.
 */
@AnyThread
public final class Signals {
  private static final Logger log = LoggerFactory.getLogger(Signals.class);

  private final AtomicInteger count = new AtomicInteger();
  private final Reaction first = new Reaction();
  private final Reaction second = new Reaction();

  /**
   * Takes over SIGTERM and SIGINT of this process. Where the JVM does not let us (no module
   * jdk.unsupported, or -Xrs), its own way stays: it begins a shutdown.
   */
  static Signals install() {
    Signals signals = new Signals();
    for (String name : List.of("TERM", "INT")) {
      try {
        handle(name, signals::arrived);
      } catch (ReflectiveOperationException | IllegalArgumentException e) {
        log.debug("SIG{} is left to the JVM", name, e);
      }
    }
    return signals;
  }

  /** By reflection, because javac warns of each mention of sun.misc and cannot be told not to. */
  private static void handle(String name, Runnable action) throws ReflectiveOperationException {
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

  /** A signal came, or something else that asks for an end in the same way. */
  public void arrived() {
    int number = count.incrementAndGet();
    if (number == 1) {
      first.fire();
    } else if (number == 2) {
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
