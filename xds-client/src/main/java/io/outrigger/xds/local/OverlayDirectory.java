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
 * Watches the files of local policy, off the control loop. When a file changes, the directory makes
 * a new overlay.
 */
@ControlConfined
public final class OverlayDirectory {
  /** Receives the changes of the files, on the control loop. */
  public interface Listener {
    /** The rules have changed, and another overlay is in force from now on. */
    void onOverlay(Overlay overlay);

    /**
     * The problems of the files have changed. The list is empty when no problem is left. The
     * overlay stays the same.
     */
    void onProblems(List<FileProblem> problems);
  }

  private final ControlLoop loop;
  private final List<Path> roots;
  private final Listener listener;
  private final PathWatcher<OverlayFiles> watcher;
  private OverlayFiles files;

  /**
   * @param reader the executor that reads the files; reading may block
   * @param roots files and folders, in the order in which their rules count
   * @param read the result of the last reading of the files and folders
   */
  public OverlayDirectory(
      ControlLoop loop, Executor reader, List<Path> roots, OverlayFiles read, Listener listener) {
    this.loop = loop;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.listener = listener;
    this.watcher =
        new PathWatcher<>("overlay files", loop, reader, this::nextReading, this::onRead);
  }

  /**
   * Reports the overlay that was read before, and starts to watch if there are files or folders to
   * watch.
   */
  public void start() {
    loop.checkInside();
    listener.onOverlay(files.overlay());
    if (!roots.isEmpty()) {
      watcher.startLater();
    }
  }

  /** Stops watching. */
  public void close() {
    watcher.close();
  }

  /** Returns the present problems of the files. */
  public List<FileProblem> problems() {
    loop.checkInside();
    return files.problems();
  }

  private Supplier<OverlayFiles> nextReading() {
    OverlayFiles before = files;
    return () -> OverlayFiles.read(roots, before);
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged overlay is the same instance
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
