package io.outrigger.dataplane.downstream;

import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import io.outrigger.http2.ConnectionSettings.Windows;
import java.time.Duration;

/**
 * The limits of one local port.
 *
 * @param maxConnections the maximum number of open connections; further connections are closed
 */
public record ListenerSettings(int maxConnections, ConnectionSettings http2) {
  private static final Timeouts UNTRUSTED_TIMEOUTS =
      new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofMinutes(1));

  /**
   * Returns stricter limits for the untrusted callers of {@code --serve}. Each HTTP/2 limit is the
   * smaller of this object's limit and a fixed maximum.
   */
  public ListenerSettings forUntrustedCallers() {
    Windows windows = http2.windows();
    Timeouts timeouts = http2.timeouts();
    return new ListenerSettings(
        maxConnections,
        http2
            .withMaxConcurrentStreams(Math.min(http2.maxConcurrentStreams(), 100))
            .withWindows(
                new Windows(
                    Math.min(windows.stream(), 64 << 10),
                    Math.min(windows.widestStream(), 256 << 10),
                    Math.min(windows.connection(), 1 << 20)))
            .withTimeouts(
                new Timeouts(
                    sooner(timeouts.handshake(), UNTRUSTED_TIMEOUTS.handshake()),
                    sooner(timeouts.frame(), UNTRUSTED_TIMEOUTS.frame()),
                    sooner(timeouts.unread(), UNTRUSTED_TIMEOUTS.unread()))));
  }

  private static Duration sooner(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }
}
