package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of local policy that are watched: several times a second they are looked at, off the
 * control loop, and what has changed becomes the next overlay.
 */
@ControlConfined
public final class OverlayDirectory {
  private static final Logger log = LoggerFactory.getLogger(OverlayDirectory.class);

  /** A change is in force within a second, with the time to lay it over everything. */
  private static final Duration INTERVAL = Duration.ofMillis(250);

  /** Hears of changes, on the control loop. */
  public interface Listener {
    /** Other rules are in force from now on. */
    void onOverlay(Overlay overlay);

    /** Other things are wrong with the files than before, perhaps none; rules stay as they are. */
    void onProblems(List<FileProblem> problems);
  }

  private final ControlLoop loop;
  private final Executor reader;
  private final List<Path> roots;
  private final Listener listener;
  private OverlayFiles files;
  private TimerHandle timer = () -> {};
  private boolean closed;

  /**
   * @param reader runs what may block
   * @param roots files and folders, in the order in which their rules count
   * @param read what was read of them a moment ago, which is where it begins
   */
  public OverlayDirectory(
      ControlLoop loop, Executor reader, List<Path> roots, OverlayFiles read, Listener listener) {
    this.loop = loop;
    this.reader = reader;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.listener = listener;
  }

  /** Tells what was read, and begins to watch where there is something to be watched. */
  public void start() {
    loop.checkInside();
    listener.onOverlay(files.overlay());
    if (!roots.isEmpty()) {
      timer = loop.schedule(INTERVAL, this::poll);
    }
  }

  /** Ends the watching. */
  public void close() {
    loop.checkInside();
    closed = true;
    timer.cancel();
  }

  /** What is wrong with the files now. */
  public List<FileProblem> problems() {
    loop.checkInside();
    return files.problems();
  }

  private void poll() {
    OverlayFiles before = files;
    reader.execute(
        () -> {
          OverlayFiles read = readAfter(before);
          loop.execute(() -> onRead(read));
        });
  }

  private OverlayFiles readAfter(OverlayFiles before) {
    try {
      return OverlayFiles.read(roots, before);
    } catch (RuntimeException | Error e) { // ours; it must not end the watching
      log.error("overlay files: reading failed", e);
      return before;
    }
  }

  @SuppressWarnings("ReferenceEquality") // an overlay that stays is the very same
  private void onRead(OverlayFiles read) {
    if (closed) {
      return; // was reading when we closed
    }
    OverlayFiles before = files;
    files = read;
    timer = loop.schedule(INTERVAL, this::poll);
    if (!read.problems().equals(before.problems())) {
      listener.onProblems(read.problems());
    }
    if (read.overlay() != before.overlay()) {
      listener.onOverlay(read.overlay());
    }
  }
}
