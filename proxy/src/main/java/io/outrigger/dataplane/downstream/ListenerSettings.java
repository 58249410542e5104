package io.outrigger.dataplane.downstream;

import io.outrigger.http2.ConnectionSettings;

/**
 * The limits of one local port.
 *
 * @param maxConnections the maximum number of open connections; further ones are closed at once
 * @param http2 the HTTP/2 limits that apply to apps
 */
public record ListenerSettings(int maxConnections, ConnectionSettings http2) {
  /**
   * The defaults of {@code --max-connections} and {@code --max-concurrent-streams} (CONTRACT
   * section 2).
   */
  public static final ListenerSettings DEFAULT =
      new ListenerSettings(10_000, ConnectionSettings.DEFAULT.withMaxConcurrentStreams(1_000));
}
