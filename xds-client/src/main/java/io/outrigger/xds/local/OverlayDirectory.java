package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PathWatcher;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Files of local policy that are watched, off the control loop; a change makes the next overlay.
 */
@ControlConfined
public final class OverlayDirectory {
  /** Hears of changes, on the control loop. */
  public interface Listener {
    /** Other rules are in force from now on. */
    void onOverlay(Overlay overlay);

    /** Other things are wrong with the files than before, perhaps none; rules stay as they are. */
    void onProblems(List<FileProblem> problems);
  }

  private final ControlLoop loop;
  private final List<Path> roots;
  private final Listener listener;
  private final PathWatcher<OverlayFiles> watcher;
  private OverlayFiles files;

  /**
   * @param reader runs what may block
   * @param roots files and folders, in the order in which their rules count
   * @param read what was read of them a moment ago, which is where it begins
   */
  public OverlayDirectory(
      ControlLoop loop, Executor reader, List<Path> roots, OverlayFiles read, Listener listener) {
    this.loop = loop;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.listener = listener;
    this.watcher = new PathWatcher<>(loop, reader, this::look, this::onRead);
  }

  /** Tells what was read, and begins to watch where there is something to be watched. */
  public void start() {
    loop.checkInside();
    listener.onOverlay(files.overlay());
    if (!roots.isEmpty()) {
      watcher.startLater();
    }
  }

  /** Ends the watching. */
  public void close() {
    watcher.close();
  }

  /** What is wrong with the files now. */
  public List<FileProblem> problems() {
    loop.checkInside();
    return files.problems();
  }

  private Supplier<OverlayFiles> look() {
    OverlayFiles before = files;
    return () -> OverlayFiles.read(roots, before);
  }

  @SuppressWarnings("ReferenceEquality") // an overlay that stays is the very same
  private void onRead(OverlayFiles read) {
    OverlayFiles before = files;
    files = read;
    if (!read.problems().equals(before.problems())) {
      listener.onProblems(read.problems());
    }
    if (read.overlay() != before.overlay()) {
      listener.onOverlay(read.overlay());
    }
  }
}
