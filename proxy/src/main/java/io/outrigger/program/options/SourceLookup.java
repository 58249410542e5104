package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import java.time.Duration;
import java.util.Map;

/**
 * Finds where configuration comes from, as often as it is asked: the file of the bootstrap may come
 * after us. Blocks while it reads.
 */
@AnyThread
public final class SourceLookup {
  /** A writer that does not rename its file into place shows it unfinished for a moment. */
  private static final Duration UNFINISHED = Duration.ofMillis(200);

  private final GivenFlags settings;
  private final Map<String, String> environment;
  private final ForwardsReader forwards;
  private final Duration timeout;
  private final Runnable pause;

  SourceLookup(
      GivenFlags settings,
      Map<String, String> environment,
      ForwardsReader forwards,
      Duration timeout) {
    this(settings, environment, forwards, timeout, () -> WaitingClock.sleep(UNFINISHED));
  }

  /**
   * As above.
   *
   * @param pause before something wrong is read again
   */
  SourceLookup(
      GivenFlags settings,
      Map<String, String> environment,
      ForwardsReader forwards,
      Duration timeout,
      Runnable pause) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
    this.forwards = forwards;
    this.timeout = timeout;
    this.pause = pause;
  }

  /** How long to wait for files of others; zero: not at all. */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Reads the bootstrap, and looks whether it knows all targets. Where there is time, one that is
   * wrong is read again after a moment, since somebody may be writing it.
   *
   * @throws AbsentFile when the bootstrap is named and not there
   * @throws InvalidInput when it is wrong, or there is none
   */
  public ConfigSource look() throws InvalidInput {
    try {
      return read();
    } catch (AbsentFile absent) {
      throw absent;
    } catch (InvalidInput wrong) {
      if (timeout.isZero()) {
        throw wrong;
      }
      pause.run();
      return read();
    }
  }

  private ConfigSource read() throws InvalidInput {
    ConfigSource source = SourceReader.read(settings, environment, forwards.needControlPlane());
    forwards.checkTargets(source.bootstrap());
    return source;
  }
}
