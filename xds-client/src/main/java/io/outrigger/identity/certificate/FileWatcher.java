package io.outrigger.identity.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.PathWatcher;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at files twice a second, and reads them when one looks different or the refresh interval is
 * over: those of a {@code file_watcher} (A29), or the roots of the system (A82).
 *
 * <pre>
 * a look finds            the files are
 *   a change              read
 *   no change             read once the interval since the last reading is over
 * a reading               is published
 *   succeeds              at once, when it differs
 *   lacks certificates    once no file has been written in place for 1.5 s
 *     that are in use
 *   fails                 when the next look reads the same failure
 *   is the first          at once, whatever it finds
 * </pre>
 *
 * <p>A rotation renames one file after the other: a reading between them fails, and half a second
 * later both are there. A program that writes into the file itself does it in several steps: a
 * reading between them finds the first certificates alone. The snapshot in use stays in use
 * meanwhile.
 */
@ControlConfined
@SuppressWarnings("ReferenceEquality") // a snapshot to which nothing is new is the very same
final class FileWatcher implements CertificateSource {
  /** How long a file that is written in place must stand still before less than before counts. */
  static final Duration STILL = Duration.ofMillis(1500);

  private static final String LESS = "certificates that are in use are missing";

  /** What one look found, off the control loop. */
  private record Look(FileStamps stamps, Optional<FileReading> reading) {}

  /** The files; all calls block. */
  interface Source {
    /** What a look shows. */
    FileStamps stamps();

    /** What the files hold. */
    FileReading read();

    /** After which files are read that look as before. */
    Duration refreshInterval();
  }

  private final ControlLoop loop;
  private final Source source;
  private final Listener listener;
  private final PathWatcher<Look> watcher;
  private CertificateSnapshot snapshot = CertificateSnapshot.NONE;
  private FileStamps stamps = FileStamps.NONE;
  private long lastRead;
  private long stillAt; // STILL after a file was last seen written in place
  private @Nullable String doubt; // why the last reading is not published

  /**
   * Nothing happens before {@link #start}.
   *
   * @param reading runs what may block
   */
  FileWatcher(ControlLoop loop, Executor reading, Source source, Listener listener) {
    this.loop = loop;
    this.source = source;
    this.listener = listener;
    this.watcher = new PathWatcher<>(loop, reading, this::look, this::onLooked);
  }

  @Override
  public CertificateSnapshot snapshot() {
    return snapshot;
  }

  @Override
  public void start() {
    stillAt = loop.nanoTime();
    watcher.start();
  }

  private Supplier<Look> look() {
    FileStamps known = stamps;
    boolean due = doubt != null || loop.nanoTime() - lastRead >= source.refreshInterval().toNanos();
    return () -> {
      FileStamps found = source.stamps(); // before reading: what changes then shows later
      return due || !found.equals(known)
          ? new Look(found, Optional.of(source.read()))
          : new Look(found, Optional.empty());
    };
  }

  private void onLooked(Look look) {
    if (look.stamps().showWritingSince(stamps)) {
      stillAt = loop.nanoTime() + STILL.toNanos();
    }
    stamps = look.stamps();
    look.reading().ifPresent(this::onRead);
  }

  private void onRead(FileReading read) {
    lastRead = loop.nanoTime();
    CertificateSnapshot before = snapshot;
    CertificateSnapshot now = before.after(read, loop.now());
    doubt = before.isUnread() ? null : doubtOf(before, now);
    if (doubt == null && now != before) {
      snapshot = now;
      listener.onSnapshot(before, now);
    }
  }

  private @Nullable String doubtOf(CertificateSnapshot before, CertificateSnapshot now) {
    if (now.lacksSomeOf(before) && lastRead - stillAt < 0) {
      return LESS;
    }
    boolean isNewFailure = now.error().isPresent() && !now.error().equals(before.error());
    String failure = now.error().orElse("");
    return isNewFailure && before.loaded().isPresent() && !failure.equals(doubt) ? failure : null;
  }

  @Override
  public void close() {
    watcher.close();
  }
}
