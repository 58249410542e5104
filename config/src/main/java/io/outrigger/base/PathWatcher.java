package io.outrigger.base;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls files at a fixed interval, off the control loop, until {@link #close}. Polling detects
 * changes for which the system sends no file event, such as the swapped links of a Kubernetes
 * volume (decision xds-0045).
 *
 * <p>Polls do not overlap. If a poll throws an exception, the watcher logs it and continues.
 */
@ControlConfined
public final class PathWatcher<T> {
  public static final Duration PACE = Duration.ofMillis(500);

  private static final Logger log = LoggerFactory.getLogger(PathWatcher.class);

  private final String name;
  private final ControlLoop loop;
  private final Executor executor;
  private final Supplier<Supplier<T>> newTask;
  private final Consumer<T> onResult;
  private TimerHandle next = () -> {};
  private boolean closed;
  private boolean isFailing;

  /**
   * Creates a watcher, which {@link #start} or {@link #startLater} starts.
   *
   * @param name a description of the files for log messages
   * @param executor runs the polls, which may block
   * @param newTask creates the task that reads the files in a poll; called on the control loop when
   *     the poll is due
   * @param onResult receives the result of each poll on the control loop
   */
  public PathWatcher(
      String name,
      ControlLoop loop,
      Executor executor,
      Supplier<Supplier<T>> newTask,
      Consumer<T> onResult) {
    this.name = name;
    this.loop = loop;
    this.executor = executor;
    this.newTask = newTask;
    this.onResult = onResult;
  }

  public void start() {
    loop.checkInside();
    poll();
  }

  /** Schedules the first poll, unless the watcher is closed. */
  public void startLater() {
    loop.checkInside();
    if (!closed) {
      next = loop.schedule(PACE, this::poll);
    }
  }

  private void poll() {
    Supplier<T> begun = newTask.get();
    executor.execute(() -> run(begun));
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
          if (!closed) { // false if closed during the poll
            next = loop.schedule(PACE, this::poll);
            result.run();
          }
        });
  }

  private void onFound(T found) {
    isFailing = false;
    onResult.accept(found);
  }

  private void onThrown(Throwable failure) {
    if (isFailing) {
      return; // the first of these failures was logged
    }
    isFailing = true;
    if (Exhaustion.isOutOfMemory(failure)) {
      log.warn(
          "{}: not enough memory to read the files; the content read before stays in use", name);
    } else {
      log.error("{}: reading failed; the content read before stays in use", name, failure);
    }
  }

  public void close() {
    loop.checkInside();
    closed = true;
    next.cancel();
  }
}
