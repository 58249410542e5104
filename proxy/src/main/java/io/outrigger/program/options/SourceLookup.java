package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import java.time.Duration;
import java.util.Map;

/**
 * Finds the source of the configuration. Each call reads the source again, since the bootstrap file
 * may appear after the start. Calls block.
 */
@AnyThread
public final class SourceLookup {
  /**
   * The pause before a wrong file is read again. A writer that does not rename a finished file into
   * place exposes an incomplete file for a moment.
   */
  private static final Duration UNFINISHED = Duration.ofMillis(200);

  private final GivenFlags settings;
  private final Map<String, String> environment;
  private final PortsReader ports;
  private final Duration timeout;
  private final Runnable pause;

  SourceLookup(
      GivenFlags settings, Map<String, String> environment, PortsReader ports, Duration timeout) {
    this(settings, environment, ports, timeout, () -> WaitingClock.sleep(UNFINISHED));
  }

  /**
   * Creates a lookup with a pause for tests.
   *
   * @param pause runs before a wrong file is read again
   */
  SourceLookup(
      GivenFlags settings,
      Map<String, String> environment,
      PortsReader ports,
      Duration timeout,
      Runnable pause) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
    this.ports = ports;
    this.timeout = timeout;
    this.pause = pause;
  }

  /** Returns how long to wait for files that other processes write; zero means no wait. */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Reads the bootstrap, and checks that it knows all targets and served addresses. With a timeout
   * above zero, a wrong bootstrap is read once more a moment later, since another process may be
   * writing it.
   *
   * @throws AbsentFile when the named bootstrap does not exist
   * @throws InvalidInput when the bootstrap is wrong, or none is named
   */
  public ConfigSource find() throws InvalidInput {
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
    ConfigSource source = SourceReader.read(settings, environment, ports.needControlPlane());
    ports.checkNames(source.bootstrap());
    return source;
  }
}
