package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.PathWatcher;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Watches resource files, and publishes a new snapshot when a file has changed. */
@ControlConfined
public final class ResourceDirectory {
  private static final Logger log = LoggerFactory.getLogger(ResourceDirectory.class);

  private final ControlLoop loop;
  private final List<Path> roots;
  private final PathWatcher<ResourceFiles> watcher;
  private final LocalAdsTransport transport;
  private ResourceFiles files;

  public ResourceDirectory(
      ControlLoop loop, Executor reader, List<Path> roots, ResourceFiles read) {
    this.loop = loop;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.transport =
        new LocalAdsTransport(loop, String.join(", ", roots.stream().map(Path::toString).toList()));
    this.watcher =
        new PathWatcher<>("resource files", loop, reader, this::nextReading, this::onRead);
  }

  public void start() {
    loop.checkInside();
    onRead(files);
    watcher.startLater();
  }

  public void close() {
    loop.checkInside();
    watcher.close();
  }

  public LocalAdsTransport transport() {
    return transport;
  }

  private Supplier<ResourceFiles> nextReading() {
    ResourceFiles before = files;
    return () -> ResourceFiles.read(roots, before);
  }

  private void onRead(ResourceFiles read) {
    ResourceFiles before = files;
    boolean changed = transport.snapshot().isEmpty() || !read.snapshot().sameAs(before.snapshot());
    files = read;
    if (!read.problems().equals(before.problems())) {
      read.problems().forEach(problem -> log.warn("resource file {}", problem));
      if (read.problems().isEmpty()) {
        log.info("resource files: all problems are gone");
      }
    }
    if (changed) {
      log.info(
          "resource files: {} in {}",
          Count.of(read.snapshot().size(), "resource"),
          Count.of(read.files().size(), "file"));
      transport.publish(read.snapshot());
    }
  }
}
