package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import java.time.Duration;
import java.util.Map;

/**
 * Finds the source of the configuration. Each call reads the source again, since the bootstrap file
 * may appear after the start. Calls block.
 */
@AnyThread
public final class SourceLookup {
  private final GivenFlags settings;
  private final Map<String, String> environment;
  private final PortsReader ports;
  private final Duration timeout;

  SourceLookup(
      GivenFlags settings, Map<String, String> environment, PortsReader ports, Duration timeout) {
    this.settings = settings;
    this.environment = Map.copyOf(environment);
    this.ports = ports;
    this.timeout = timeout;
  }

  /** Returns how long to wait for files that other processes write; zero means no wait. */
  public Duration timeout() {
    return timeout;
  }

  /**
   * Reads the bootstrap, and checks that it knows all targets and served addresses.
   *
   * @throws AbsentFile when the named bootstrap does not exist
   * @throws InvalidInput when the bootstrap is wrong, or none is named
   */
  public ConfigSource find() throws InvalidInput {
    ConfigSource source = SourceReader.read(settings, environment, ports.needControlPlane());
    ports.checkNames(source.bootstrap());
    return source;
  }
}
