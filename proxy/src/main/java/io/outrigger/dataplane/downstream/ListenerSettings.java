package io.outrigger.dataplane.downstream;

import io.outrigger.http2.ConnectionSettings;

/**
 * The limits of one local port.
 *
 * @param maxConnections beyond it a new connection is closed at once
 * @param http2 what apps are granted
 */
public record ListenerSettings(int maxConnections, ConnectionSettings http2) {
  /** CONTRACT section 2, {@code --max-connections} and {@code --max-concurrent-streams}. */
  public static final ListenerSettings DEFAULT =
      new ListenerSettings(10_000, ConnectionSettings.DEFAULT.withMaxConcurrentStreams(1_000));
}
