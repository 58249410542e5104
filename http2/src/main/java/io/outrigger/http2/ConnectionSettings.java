package io.outrigger.http2;

import java.time.Duration;

/**
 * The limits that one side of a connection sets for its peer.
 *
 * @param maxConcurrentStreams the number of streams that the peer may have open; further streams
 *     are refused with REFUSED_STREAM
 * @param maxHeaderListBytes the maximum decoded size of a header list, including every cookie crumb
 *     and 32 bytes per field (RFC 9113 section 6.5.2)
 * @param abuse limits beyond which the connection is closed with ENHANCE_YOUR_CALM
 */
public record ConnectionSettings(
    int maxConcurrentStreams,
    int maxHeaderListBytes,
    Windows windows,
    Timeouts timeouts,
    AbuseLimits abuse,
    ProcessMemory memory) {
  /** The initial size of every window (RFC 9113 section 6.9.2). */
  static final int INITIAL_WINDOW = 65_535;

  /** SETTINGS_MAX_FRAME_SIZE of this side: the RFC's default and also the RFC's minimum. */
  static final int FRAME_SIZE = 16_384;

  /** Settings for a local app that is trusted but may have bugs. */
  public static final ConnectionSettings DEFAULT =
      new ConnectionSettings(
          10_000,
          64 << 10,
          new Windows(1 << 20, 1 << 20, 16 << 20),
          Timeouts.DEFAULT,
          AbuseLimits.DEFAULT,
          ProcessMemory.UNLIMITED);

  public ConnectionSettings {
    require(maxConcurrentStreams >= 0, "max concurrent streams is negative");
    require(maxHeaderListBytes > 0, "max header list is not positive");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  public ConnectionSettings withMaxConcurrentStreams(int streams) {
    return new ConnectionSettings(streams, maxHeaderListBytes, windows, timeouts, abuse, memory);
  }

  public ConnectionSettings withMaxHeaderListBytes(int bytes) {
    return new ConnectionSettings(maxConcurrentStreams, bytes, windows, timeouts, abuse, memory);
  }

  public ConnectionSettings withWindows(Windows sizes) {
    return new ConnectionSettings(
        maxConcurrentStreams, maxHeaderListBytes, sizes, timeouts, abuse, memory);
  }

  public ConnectionSettings withTimeouts(Timeouts limits) {
    return new ConnectionSettings(
        maxConcurrentStreams, maxHeaderListBytes, windows, limits, abuse, memory);
  }

  public ConnectionSettings withAbuse(AbuseLimits limits) {
    return new ConnectionSettings(
        maxConcurrentStreams, maxHeaderListBytes, windows, timeouts, limits, memory);
  }

  public ConnectionSettings withMemory(ProcessMemory process) {
    return new ConnectionSettings(
        maxConcurrentStreams, maxHeaderListBytes, windows, timeouts, abuse, process);
  }

  /**
   * The sizes of receive windows in bytes.
   *
   * @param stream the initial window of a stream
   * @param widestStream the maximum window of a stream; a window grows up to this size while the
   *     DATA of the stream is consumed
   * @param connection the window of the connection; the total growth of all stream windows is
   *     limited to the same size
   */
  public record Windows(int stream, int widestStream, int connection) {
    public Windows {
      require(stream >= 0, "stream window is negative");
      require(widestStream >= stream, "widest stream window is below the first");
      require(connection >= INITIAL_WINDOW, "connection window is below 65535");
    }
  }

  /**
   * Time limits for a peer. Limits are checked once a second, so a violation is detected at most
   * one second late.
   *
   * @param handshake the maximum time from the start of the connection to the peer's first SETTINGS
   * @param frame the maximum time for the arrival of a whole header block, or of a whole frame
   *     other than DATA
   * @param unread the maximum time for which the peer's socket accepts none of the waiting bytes
   */
  public record Timeouts(Duration handshake, Duration frame, Duration unread) {
    /**
     * The limit for the handshake is MIN_CONNECT_TIMEOUT of gRPC's connection-backoff.md. The limit
     * for incomplete frames is short, because an app writes a whole frame without a pause. The
     * limit for unread bytes is long, because an app in a debugger may not read for minutes.
     */
    public static final Timeouts DEFAULT =
        new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(30), Duration.ofMinutes(5));
  }

  /**
   * Limits for useless work that a peer causes, counted per connection.
   *
   * @param period the time after which the counts of resets and of control frames start again at 0
   * @param resets the number of streams that may be reset in a period, by the peer or by this side
   *     because the peer broke a rule. More resets are allowed while at least a quarter of the
   *     period's streams are not reset
   * @param controlFrames the number of SETTINGS, PING, PRIORITY, WINDOW_UPDATE, unknown and empty
   *     frames that are allowed in a period. Each frame with content raises the limit by eight
   * @param continuationFrames the number of CONTINUATION frames allowed in one header block
   * @param unsentBytes the number of bytes that may wait for a peer that does not read
   */
  public record AbuseLimits(
      Duration period, int resets, int controlFrames, int continuationFrames, int unsentBytes) {
    public static final AbuseLimits DEFAULT =
        new AbuseLimits(Duration.ofSeconds(30), 10_000, 10_000, 64, 8 << 20);
  }
}
