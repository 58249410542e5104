package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.FileStamp;
import io.outrigger.base.PathWatcher;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks files twice a second, and reads all files when a file has changed or the refresh interval
 * has passed. The files are those of a {@code file_watcher} (A29) or the roots of the system (A82).
 *
 * <pre>
 * a check finds           the files are
 *   a change              read
 *   no change             read once the interval since the last reading has passed
 * a reading               is published
 *   succeeds              at once, when it differs
 *   lacks certificates    once no file has been written in place for 1.5 s
 *     that are in use
 *   fails                 when the next check reads the same failure
 *   is the first          at once, with any result
 * </pre>
 *
 * <p>A reading between two renames of a rotation fails; the next check, half a second later, finds
 * all files renamed. While a file is overwritten in place, a reading may find only its first
 * certificates. The previous snapshot stays in use until a reading is published.
 */
@ControlConfined
final class FileWatcher extends CertificateSource {
  /** How long a reading that lacks certificates is held back after the last write in place. */
  static final Duration STILL = Duration.ofMillis(1500);

  private static final String MISSING_CERTIFICATES = "certificates that are in use are missing";

  record Check(Map<String, FileStamp> stamps, Optional<FileReading> reading) {}

  private final ControlLoop loop;
  private final ProviderFiles files;
  private final PathWatcher<Check> watcher;
  private Map<String, FileStamp> stamps = Map.of(); // by path; a missing file has none
  private long lastRead;
  private long stillAt; // the end of STILL after the last write in place
  private @Nullable String holdReason; // the reason not to publish the last reading

  FileWatcher(ControlLoop loop, Executor reading, ProviderFiles files, Listener listener) {
    super(listener);
    this.loop = loop;
    this.files = files;
    this.watcher =
        new PathWatcher<>("certificate files", loop, reading, this::check, this::onChecked);
  }

  @Override
  void start() {
    stillAt = loop.nanoTime();
    watcher.start();
  }

  static Check check(ProviderFiles files) {
    // The file stamps (metadata) are taken first, so that a change during the reading is detected.
    Map<String, FileStamp> found = stamps(files);
    return new Check(found, Optional.of(files.read()));
  }

  void startAfter(Check first) {
    stillAt = loop.nanoTime();
    onChecked(first);
    watcher.startLater();
  }

  private Supplier<Check> check() {
    Map<String, FileStamp> known = stamps;
    boolean due =
        snapshot().isUnread()
            || holdReason != null
            || loop.nanoTime() - lastRead >= files.files().refreshInterval().toNanos();
    return () -> {
      Map<String, FileStamp> found = stamps(files);
      return due || !found.equals(known) ? check(files) : new Check(found, Optional.empty());
    };
  }

  private void onChecked(Check check) {
    if (!snapshot().isUnread() && isWrittenInPlace(stamps, check.stamps())) {
      stillAt = loop.nanoTime() + STILL.toNanos();
    }
    stamps = check.stamps();
    check.reading().ifPresent(this::onRead);
  }

  private static Map<String, FileStamp> stamps(ProviderFiles files) {
    Map<String, FileStamp> stamps = new HashMap<>();
    files.paths().forEach(path -> FileStamp.of(path).ifPresent(it -> stamps.put(path, it)));
    return stamps;
  }

  /** Whether a file has been created or overwritten in place, rather than replaced by a rename. */
  private static boolean isWrittenInPlace(
      Map<String, FileStamp> before, Map<String, FileStamp> now) {
    return now.entrySet().stream()
        .filter(each -> !each.getValue().equals(before.get(each.getKey())))
        .anyMatch(
            each -> {
              FileStamp old = before.get(each.getKey());
              return old == null || Objects.equals(old.key(), each.getValue().key());
            });
  }

  private void onRead(FileReading read) {
    lastRead = loop.nanoTime();
    CertificateSnapshot before = snapshot();
    CertificateSnapshot now = before.after(read, loop.now());
    holdReason = before.isUnread() ? null : holdReason(before, now);
    if (holdReason == null) {
      publish(now);
    }
  }

  private @Nullable String holdReason(CertificateSnapshot before, CertificateSnapshot now) {
    if (now.lacksSomeOf(before) && lastRead - stillAt < 0) {
      return MISSING_CERTIFICATES;
    }
    boolean isNewFailure = now.error().isPresent() && !now.error().equals(before.error());
    String failure = now.error().orElse("");
    return isNewFailure && before.loaded().isPresent() && !failure.equals(holdReason)
        ? failure
        : null;
  }

  @Override
  void close() {
    watcher.close();
  }
}
