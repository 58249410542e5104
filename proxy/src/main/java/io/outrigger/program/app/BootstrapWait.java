package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.WaitingClock;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.identity.certificate.MissingFile;
import io.outrigger.program.options.AbsentFile;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.SourceLookup;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for files that others write: the bootstrap, and those that its credentials and certificate
 * providers name; for a Workload API too (CONTRACT section 2, {@code --bootstrap-timeout}). All
 * files are looked at anew each time, so what is used belongs together, however they are replaced
 * meanwhile.
 *
 * <pre>
 * a look finds                    while there is time    later
 *   all there                     used                   used
 *   a file absent                 waits                  the end, naming it
 *   a provider's file absent, or  waits                  used; clusters that need it fail
 *     its Workload API silent
 *   something wrong, still so     the end                the end
 *     after a moment
 * </pre>
 */
@AnyThread
final class BootstrapWait {
  private static final Logger log = LoggerFactory.getLogger(BootstrapWait.class);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

  /** Uses what was found. */
  interface Use {
    /**
     * Begins to work with {@code source}.
     *
     * @throws InvalidInput when one of its files cannot be used
     */
    void accept(ConfigSource source) throws InvalidInput;
  }

  private final SourceLookup lookup;
  private final Function<Bootstrap, Optional<String>> workloads;
  private final String limit;
  private final long endNanos;
  private volatile Optional<String> missing = Optional.empty();

  /**
   * The time for it begins now.
   *
   * @param workloads why a Workload API that a bootstrap names gives nothing yet; empty when all do
   */
  BootstrapWait(SourceLookup lookup, Function<Bootstrap, Optional<String>> workloads) {
    this.lookup = lookup;
    this.workloads = workloads;
    this.limit = lookup.timeout().toMillis() / 1000.0 + " s";
    this.endNanos = WaitingClock.nanoTime() + lookup.timeout().toNanos();
  }

  /** What is waited for; empty when nothing is. */
  Optional<String> missing() {
    return missing;
  }

  /**
   * Tries with what was found at the start.
   *
   * @param found empty when there was no bootstrap yet
   * @return whether it is used; if not, {@link #await} goes on
   * @throws InvalidInput when a file is wrong, or one is missing and there is no time
   */
  boolean begin(Optional<ConfigSource> found, Use use) throws InvalidInput {
    try {
      use(found.isPresent() ? found.get() : lookup.look(), use);
      return true;
    } catch (AbsentFile absent) {
      if (lookup.timeout().isZero()) {
        throw absent;
      }
      tell(absent.line());
      return false;
    }
  }

  /**
   * Looks until all is there and is used. Blocks.
   *
   * @param isLeaving whether the process is to end anyway: then nothing is an error any more
   * @param left completed when it ends
   * @throws InvalidInput when a file is wrong, or missing after the time for it
   */
  void await(Use use, BooleanSupplier isLeaving, CompletableFuture<Void> left) throws InvalidInput {
    boolean used = false;
    while (!used && !isWithin(LOOK_INTERVAL, left)) {
      try {
        use(lookup.look(), use);
        missing = Optional.empty();
        used = true;
      } catch (AbsentFile absent) {
        if (isOver() && !isLeaving.getAsBoolean()) {
          throw new InvalidInput(
              List.of(absent.line() + "; waited %s for it (--bootstrap-timeout)".formatted(limit)));
        }
        tell(absent.line());
      } catch (InvalidInput wrong) {
        if (!isLeaving.getAsBoolean()) {
          throw wrong;
        }
        tell(wrong.lines().get(0));
      }
    }
  }

  /** Waits for {@code end} for so long; whether it came. */
  private static boolean isWithin(Duration time, CompletableFuture<Void> end) {
    end.copy().completeOnTimeout(null, time.toMillis(), TimeUnit.MILLISECONDS).join();
    return end.isDone();
  }

  /** A source with a file that cannot be used is looked at again: somebody may be writing that. */
  private void use(ConfigSource source, Use use) throws InvalidInput {
    requireFiles(source);
    try {
      use.accept(source);
    } catch (InvalidInput wrong) {
      if (lookup.timeout().isZero()) {
        throw wrong;
      }
      WaitingClock.sleep(LOOK_INTERVAL);
      ConfigSource again = lookup.look();
      requireFiles(again);
      use.accept(again);
    }
  }

  private void requireFiles(ConfigSource source) throws AbsentFile {
    if (lookup.timeout().isZero()) {
      return; // what is missing is wrong, or is waited for by whoever needs it
    }
    Optional<MissingFile> file = MissingFile.of(source.bootstrap());
    Optional<String> lack = Optional.empty();
    if (file.isPresent()) {
      lack = file.filter(each -> each.isRequired() || !isOver()).map(MissingFile::reason);
    } else if (!isOver()) {
      lack = workloads.apply(source.bootstrap());
    }
    if (lack.isPresent()) {
      String origin = source.bootstrapOrigin().orElse("bootstrap");
      throw new AbsentFile(origin + ": " + lack.get());
    }
  }

  private void tell(String line) {
    if (!missing.equals(Optional.of(line))) {
      log.info("waiting, at most {} from the start: {}", limit, line);
    }
    missing = Optional.of(line);
  }

  private boolean isOver() {
    return WaitingClock.nanoTime() - endNanos >= 0;
  }
}
