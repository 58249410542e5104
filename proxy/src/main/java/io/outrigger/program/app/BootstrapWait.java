package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.WaitingClock;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.identity.certificate.MissingFile;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.InvalidInput.AbsentFile;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.SourceLookup;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for files that other processes write: the bootstrap, and the files that its credentials and
 * certificate providers name. The class also waits until a Workload API answers (CONTRACT section
 * 2, {@code --bootstrap-timeout}). Each attempt to start reads all files again: another process may
 * replace files during the wait, and the files in use must be consistent.
 *
 * <pre>
 * an attempt finds                before the timeout    after the timeout
 *   all files                     uses them             uses them
 *   a file absent                 waits                 fails and names the file
 *   a provider's file absent, or  waits                 uses the rest; clusters that
 *     no answer of its Workload API                       need the provider fail
 *   an invalid file, also at      fails                 fails
 *     the second attempt
 * </pre>
 */
@AnyThread
final class BootstrapWait {
  private static final Logger log = LoggerFactory.getLogger(BootstrapWait.class);
  private static final Duration ATTEMPT_INTERVAL = Duration.ofMillis(100);

  interface Use {
    /**
     * @throws InvalidInput when a file that {@code source} names cannot be used
     */
    void accept(ConfigSource source) throws InvalidInput;
  }

  private final SourceLookup lookup;
  private final Function<Bootstrap, Optional<String>> providers;
  private final String limit;
  private final long endNanos;
  private volatile Optional<String> missing = Optional.empty();

  /** Whether the last attempt to read the files found an invalid file. Confined to one thread. */
  private boolean isWrong;

  /**
   * Starts the timeout.
   *
   * @param providers a function that starts the certificate providers of a bootstrap, and returns
   *     why a provider is not ready, or empty when all providers are ready
   */
  BootstrapWait(SourceLookup lookup, Function<Bootstrap, Optional<String>> providers) {
    this.lookup = lookup;
    this.providers = providers;
    this.limit = lookup.timeout().toMillis() / 1000.0 + " s";
    this.endNanos = WaitingClock.nanoTime() + lookup.timeout().toNanos();
  }

  /** Returns why the sidecar waits, such as a missing file; empty when nothing is missing. */
  Optional<String> missing() {
    return missing;
  }

  /**
   * Makes the first attempt to read and use the files of the configuration.
   *
   * @param found contains the configuration; empty when the bootstrap was missing or invalid
   * @return whether the configuration is in use; if not, call {@link #await} next
   * @throws InvalidInput when a file is invalid, or when a file is missing and the timeout is zero
   */
  boolean begin(Optional<ConfigSource> found, Use use) throws InvalidInput {
    if (isUsed(found, use)) {
      return true;
    }
    if (isWrong) {
      WaitingClock.sleep(ATTEMPT_INTERVAL);
      return isUsed(Optional.empty(), use);
    }
    return false;
  }

  /**
   * Reads the configuration repeatedly until all its files exist and are in use. Blocks.
   *
   * @param isShuttingDown whether the process is shutting down; during a shutdown, errors of files
   *     are ignored
   * @param ended is a future that completes when the process ends
   * @throws InvalidInput when a file is invalid, or is still missing after the timeout
   */
  void await(Use use, BooleanSupplier isShuttingDown, CompletableFuture<Void> ended)
      throws InvalidInput {
    boolean used = false;
    while (!used && !awaitEnd(ATTEMPT_INTERVAL, ended)) {
      boolean isLast = isOver(); // read first: the attempt may outlast the timeout
      try {
        used = isUsed(Optional.empty(), use);
      } catch (InvalidInput wrong) {
        if (!isShuttingDown.getAsBoolean()) {
          throw wrong;
        }
        report(wrong.lines().get(0));
      }
      if (!used && !isWrong && isLast && !isShuttingDown.getAsBoolean()) {
        throw new InvalidInput(
            missing.orElseThrow() + "; waited " + limit + " for it (--bootstrap-timeout)");
      }
    }
  }

  /** Waits for the future, at most for the given time; returns whether the future has completed. */
  private static boolean awaitEnd(Duration time, CompletableFuture<Void> end) {
    end.copy().completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS).join();
    return end.isDone();
  }

  /**
   * Makes one attempt to read and use the files. Returns false if another attempt must follow: a
   * file is missing, or an invalid file may still be incomplete.
   *
   * @param found contains the configuration that was read at the start; if empty, this attempt
   *     reads the configuration
   */
  private boolean isUsed(Optional<ConfigSource> found, Use use) throws InvalidInput {
    boolean wasWrong = isWrong;
    try {
      ConfigSource source = found.isPresent() ? found.get() : lookup.find();
      // With --bootstrap-timeout 0s, OptionsReader has validated the configuration before.
      if (!lookup.timeout().isZero()) {
        requireFiles(source);
        SourceLookup.check(source);
      }
      use.accept(source);
    } catch (InvalidInput failure) {
      isWrong = !(failure instanceof AbsentFile);
      if (lookup.timeout().isZero() || (isWrong && wasWrong)) {
        throw failure;
      }
      if (!isWrong) {
        report(failure.lines().get(0));
      }
      return false;
    }
    isWrong = false;
    missing = Optional.empty();
    return true;
  }

  private void requireFiles(ConfigSource source) throws AbsentFile {
    Optional<MissingFile> file = MissingFile.of(source.bootstrap());
    Optional<String> obstacle = Optional.empty();
    if (file.isPresent()) {
      obstacle = file.filter(each -> each.isRequired() || !isOver()).map(MissingFile::reason);
    } else if (!isOver()) {
      obstacle = providers.apply(source.bootstrap());
    }
    if (obstacle.isPresent()) {
      String origin = source.bootstrapOrigin().orElse("bootstrap");
      throw new AbsentFile(origin + ": " + obstacle.get());
    }
  }

  private void report(String line) {
    if (!missing.equals(Optional.of(line))) {
      log.info("waiting, at most {} from the start: {}", limit, line);
    }
    missing = Optional.of(line);
  }

  private boolean isOver() {
    return WaitingClock.nanoTime() - endNanos >= 0;
  }
}
