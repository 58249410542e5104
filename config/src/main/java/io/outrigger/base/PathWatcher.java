package io.outrigger.base;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files at one pace, off the control loop, until it is closed. Polling sees what file
 * events miss, such as the swapped links of a Kubernetes volume (decision xds 0045).
 *
 * <p>One look ends before the next begins. A look that throws is logged, and the next one comes as
 * usual.
 *
 * @param <T> the result of a look
 */
@ControlConfined
public final class PathWatcher<T> {
  /** Twice within the second in which a change is noticed. */
  public static final Duration PACE = Duration.ofMillis(500);

  private static final Logger log = LoggerFactory.getLogger(PathWatcher.class);

  private final ControlLoop loop;
  private final Executor reading;
  private final Supplier<Supplier<T>> look;
  private final Consumer<T> onLooked;
  private TimerHandle next = () -> {};
  private boolean closed;
  private boolean isFailing;

  /**
   * Nothing happens before {@link #start}.
   *
   * @param reading runs looks, which may block
   * @param look called on the control loop; what it returns runs on {@code reading}
   * @param onLooked takes each result, on the control loop; not called after {@link #close}
   */
  public PathWatcher(
      ControlLoop loop, Executor reading, Supplier<Supplier<T>> look, Consumer<T> onLooked) {
    this.loop = loop;
    this.reading = reading;
    this.look = look;
    this.onLooked = onLooked;
  }

  /** The first look begins now. */
  public void start() {
    loop.checkInside();
    look();
  }

  /** The first look begins after one {@link #PACE}. */
  public void startLater() {
    loop.checkInside();
    next = loop.schedule(PACE, this::look);
  }

  private void look() {
    Supplier<T> begun = look.get();
    reading.execute(() -> run(begun));
  }

  private void run(Supplier<T> begun) {
    Runnable then;
    try {
      T found = begun.get();
      then = () -> onFound(found);
    } catch (RuntimeException | Error e) {
      then = () -> onThrown(e);
    }
    Runnable result = then;
    loop.execute(
        () -> {
          if (!closed) { // else the look was under way at the end
            next = loop.schedule(PACE, this::look);
            result.run();
          }
        });
  }

  private void onFound(T found) {
    isFailing = false;
    onLooked.accept(found);
  }

  private void onThrown(Throwable bug) {
    if (!isFailing) { // else it is logged already
      log.error("reading of files failed; the files read before stay in use", bug);
    }
    isFailing = true;
  }

  /** Begins no further look. */
  public void close() {
    loop.checkInside();
    closed = true;
    next.cancel();
  }
}
