package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.TimerHandle;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resource files that are watched: every second they are looked at, on a thread of their own, and
 * what has changed becomes the next snapshot. Polling sees what file events miss, such as the
 * swapped links of a Kubernetes volume.
 */
@ControlConfined
public final class ResourceDirectory implements ResourceSource {
  private static final Logger log = LoggerFactory.getLogger(ResourceDirectory.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final ControlLoop loop;
  private final Executor reader;
  private final Runnable stopReader;
  private final List<Path> roots;
  private final List<Runnable> subscribers = new ArrayList<>();
  private ResourceFiles files;
  private boolean loaded;
  private boolean closed;
  private Optional<TimerHandle> timer = Optional.empty();

  /**
   * @param roots files and folders of {@code .json}, {@code .yaml} and {@code .yml} files
   * @param read what was read of them a moment ago, which is where it begins, or {@link
   *     ResourceFiles#NONE}
   */
  public ResourceDirectory(ControlLoop loop, List<Path> roots, ResourceFiles read) {
    this(loop, roots, read, readerThread());
  }

  private ResourceDirectory(
      ControlLoop loop, List<Path> roots, ResourceFiles read, ExecutorService reader) {
    this(loop, roots, read, reader, reader::shutdown);
  }

  ResourceDirectory(
      ControlLoop loop,
      List<Path> roots,
      ResourceFiles read,
      Executor reader,
      Runnable stopReader) {
    this.loop = loop;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.reader = reader;
    this.stopReader = stopReader;
  }

  private static ExecutorService readerThread() {
    return Executors.newSingleThreadExecutor(
        task -> {
          var thread = new Thread(task, "resource-files");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Begins to read and to watch. */
  public void start() {
    loop.checkInside();
    if (files.wereRead()) {
      onRead(files);
    } else {
      poll();
    }
  }

  /** Ends the watching; subscribers are not called again. */
  public void close() {
    loop.checkInside();
    closed = true;
    timer.ifPresent(TimerHandle::cancel);
    subscribers.clear();
    stopReader.run();
  }

  /** What is wrong with the files now; resources that were good before are served meanwhile. */
  public List<FileProblem> problems() {
    loop.checkInside();
    return files.problems();
  }

  /** What to serve; empty until the files were read once. */
  @Override
  public Optional<ResourceSnapshot> snapshot() {
    return loaded ? Optional.of(files.snapshot()) : Optional.empty();
  }

  @Override
  public void subscribe(Runnable onChange) {
    subscribers.add(onChange);
  }

  @Override
  public void unsubscribe(Runnable onChange) {
    subscribers.remove(onChange);
  }

  /** Names of files and folders, for messages. */
  @Override
  public String name() {
    return String.join(", ", roots.stream().map(Path::toString).toList());
  }

  private void poll() {
    timer = Optional.empty();
    ResourceFiles before = files;
    reader.execute(
        () -> {
          ResourceFiles read = readAfter(before);
          loop.execute(() -> onRead(read));
        });
  }

  private ResourceFiles readAfter(ResourceFiles before) {
    try {
      return ResourceFiles.read(roots, before);
    } catch (RuntimeException | Error e) { // ours; it must not end the watching
      log.error("resource files: reading failed", e);
      return before;
    }
  }

  private void onRead(ResourceFiles read) {
    if (closed) {
      return; // was reading when we closed
    }
    ResourceFiles before = files;
    boolean changed = !loaded || !read.snapshot().sameAs(before.snapshot());
    files = read;
    loaded = true;
    if (!read.problems().equals(before.problems())) {
      read.problems().forEach(problem -> log.warn("resource file {}", problem));
      if (read.problems().isEmpty()) {
        log.info("resource files: no problem left");
      }
    }
    timer = Optional.of(loop.schedule(INTERVAL, this::poll));
    if (changed) {
      log.info(
          "resource files: {} in {}",
          Count.of(read.snapshot().size(), "resource"),
          Count.of(read.files().size(), "file"));
      List.copyOf(subscribers).forEach(Runnable::run);
    }
  }
}
