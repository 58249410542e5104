package io.outrigger.xds.certificate;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Looks at files twice a second, and reads them when one looks different or the refresh interval is
 * over: those of a {@code file_watcher} (A29), or the roots of the system (A82).
 *
 * <pre>
 * a look finds            the files are
 *   a change              read
 *   no change             read once the interval since the last reading is over
 * a reading
 *   succeeds              is published, when it differs
 *   fails                 is done again with the next look; published when it fails alike, or at
 *                         once when nothing is in use yet
 * </pre>
 *
 * <p>A rotation renames one file after the other: a reading between them fails, and half a second
 * later there is nothing to tell. What is in use stays in use meanwhile.
 */
@ControlConfined
@SuppressWarnings("ReferenceEquality") // a snapshot to which nothing is new is the very same
final class FileWatcher implements CertificateSource {
  /** Twice within the second in which a change should be noticed. */
  static final Duration LOOK_INTERVAL = Duration.ofMillis(500);

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
  private final Executor reading;
  private final Source source;
  private final Listener listener;
  private CertificateSnapshot snapshot = CertificateSnapshot.NONE;
  private FileStamps stamps = FileStamps.NONE;
  private long lastRead;
  private @Nullable String doubt; // the failure of the last reading, while it is not published
  private TimerHandle next = () -> {};
  private boolean closed;

  /**
   * Nothing happens before {@link #start}.
   *
   * @param reading runs what may block
   */
  FileWatcher(ControlLoop loop, Executor reading, Source source, Listener listener) {
    this.loop = loop;
    this.reading = reading;
    this.source = source;
    this.listener = listener;
  }

  @Override
  public CertificateSnapshot snapshot() {
    return snapshot;
  }

  @Override
  public void start() {
    loop.checkInside();
    look();
  }

  private void look() {
    FileStamps known = stamps;
    boolean due = doubt != null || loop.nanoTime() - lastRead >= source.refreshInterval().toNanos();
    reading.execute(
        () -> {
          FileStamps found = source.stamps(); // before reading: what changes then shows later
          Look look =
              due || !found.equals(known)
                  ? new Look(found, Optional.of(source.read()))
                  : new Look(found, Optional.empty());
          loop.execute(() -> onLooked(look));
        });
  }

  private void onLooked(Look look) {
    if (closed) {
      return; // it was under way when the watcher ended
    }
    stamps = look.stamps();
    look.reading().ifPresent(this::onRead);
    next = loop.schedule(LOOK_INTERVAL, this::look);
  }

  private void onRead(FileReading read) {
    lastRead = loop.nanoTime();
    CertificateSnapshot before = snapshot;
    CertificateSnapshot now = before.after(read, loop.now());
    boolean isNewFailure = now.error().isPresent() && !now.error().equals(before.error());
    boolean isInUse = before.loaded().isPresent();
    if (isNewFailure && isInUse && !now.error().get().equals(doubt)) {
      doubt = now.error().get();
      return;
    }
    doubt = null;
    if (now != before) {
      snapshot = now;
      listener.onSnapshot(before, now);
    }
  }

  @Override
  public void close() {
    loop.checkInside();
    closed = true;
    next.cancel();
  }
}
