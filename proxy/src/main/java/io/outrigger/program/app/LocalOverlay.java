package io.outrigger.program.app;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Count;
import io.outrigger.base.PathWatcher;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayEffect.Omission;
import io.outrigger.observe.events.EventKind;
import io.outrigger.observe.events.EventLog;
import io.outrigger.xds.local.OverlayFiles;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.FileProblem;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.stream.AdsClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and watches the overlay files, passes their rules to the xDS clients, and reports the
 * effect of the rules.
 */
@ControlConfined
final class LocalOverlay {
  private static final Logger log = LoggerFactory.getLogger(LocalOverlay.class);

  /**
   * The time after which rules that match nothing are logged. A working control plane sends its
   * resources within 15 s (A57).
   */
  private static final Duration UNMATCHED_DELAY = Duration.ofSeconds(30);

  private static final String FILES = "files";

  private final ControlLoop loop;
  private final List<Path> roots;
  private final PathWatcher<OverlayFiles> watcher;
  private final ControlPlanes controlPlanes;
  private final EventLog events;
  private OverlayFiles files;
  private TimerHandle unmatched = () -> {};

  /**
   * @param roots lists the overlay files and folders; empty when there is no overlay
   * @param read is the content of the overlay files from the time when the options were read
   */
  LocalOverlay(
      ControlLoop loop,
      Executor reader,
      List<Path> roots,
      OverlayFiles read,
      ControlPlanes controlPlanes,
      EventLog events) {
    this.loop = loop;
    this.roots = List.copyOf(roots);
    this.files = read;
    this.watcher =
        new PathWatcher<>("overlay files", loop, reader, this::nextReading, this::onRead);
    this.controlPlanes = controlPlanes;
    this.events = events;
  }

  /**
   * Applies the overlay that was read at the start, and starts to watch the files. Called when the
   * control planes are known and before the first resource is watched.
   */
  void start() {
    if (!roots.isEmpty()) {
      files.ignored().forEach(field -> log.warn("overlay: {}", field));
      onOverlay(files.overlay());
      watcher.startLater();
    }
  }

  void close() {
    unmatched.cancel();
    watcher.close();
  }

  OverlayStatus status() {
    return new OverlayStatus(
        fromClients(AdsClients::overlayRules).orElse(List.of()), files.problems());
  }

  Map<String, OverlayEffect> clusters() {
    return fromClients(AdsClients::overlaidClusters).orElse(Map.of());
  }

  private <T> Optional<T> fromClients(Function<AdsClients, T> question) {
    return controlPlanes.known().map(ControlPlanes.Known::clients).map(question);
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
      onProblems(read.problems());
    }
    if (read.overlay() != before.overlay()) {
      onOverlay(read.overlay());
    }
  }

  private void onOverlay(Overlay overlay) {
    String what = "in force: " + Count.of(overlay.rules().size(), "rule");
    log.info("overlay: {}", what);
    event(FILES, what);
    controlPlanes.known().ifPresent(known -> known.clients().overlay(overlay, this::onLeftOut));
    unmatched.cancel();
    unmatched = loop.schedule(UNMATCHED_DELAY, this::reportUnmatched);
  }

  private void reportUnmatched() {
    for (OverlayStatus.Rule rule : status().rules()) {
      if (rule.matchesNothing()) {
        String what = rule.rule() + " matches nothing so far; GET /overlay shows what rules match";
        log.warn("overlay: {}", what);
        event(FILES, what);
      }
    }
  }

  private void onProblems(List<FileProblem> problems) {
    if (problems.isEmpty()) {
      log.info("overlay: all problems are gone");
      event(FILES, "all problems are gone");
    }
    for (FileProblem problem : problems) {
      log.warn("overlay: {}; the last valid rules stay in use", problem);
      event(FILES, problem + "; the last valid rules stay in use");
    }
  }

  private void onLeftOut(String resource, Omission omission) {
    String reason = omission.field().isEmpty() ? "" : omission.field() + ": ";
    String what = omission.rule() + " is left out: " + reason + omission.reason();
    log.warn("overlay: {}: {}", resource, what);
    event(resource, what);
  }

  private void event(String subject, String text) {
    events.add(EventKind.OVERLAY, subject, text);
  }
}
