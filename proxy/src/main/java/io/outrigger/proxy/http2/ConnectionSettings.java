package io.outrigger.proxy.http2;

import io.outrigger.base.AnyThread;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * What one side of a connection grants its peer.
 *
 * @param maxConcurrentStreams streams the peer may have open; more are refused one by one
 * @param streamWindow bytes of DATA a peer may have under way on one stream
 * @param connectionWindow bytes of DATA under way on all streams together; bounds what streams hold
 *     while memory is short (see {@link ConnectionCredit})
 * @param maxHeaderListBytes the decoded size of a header list, every cookie crumb and 32 bytes per
 *     field included (RFC 9113 section 6.5.2)
 * @param maxFrameSize the largest frame payload the peer may send
 * @param handshakeTimeout how long the peer may take until its first SETTINGS
 * @param memoryIsShort whether streams may hold no more than {@code connectionWindow} together
 * @param abuse when a peer that keeps us busy for nothing is told to calm down
 */
@AnyThread
public record ConnectionSettings(
    int maxConcurrentStreams,
    int streamWindow,
    int connectionWindow,
    int maxHeaderListBytes,
    int maxFrameSize,
    Duration handshakeTimeout,
    BooleanSupplier memoryIsShort,
    AbuseLimits abuse) {
  /** What RFC 9113 section 6.9.2 gives every window until it is changed. */
  static final int INITIAL_WINDOW = 65_535;

  /** The default of SETTINGS_MAX_FRAME_SIZE, and its least value. */
  static final int LEAST_FRAME_SIZE = 16_384;

  /** Fit for a local app that is trusted but not infallible. */
  public static final ConnectionSettings DEFAULT =
      new ConnectionSettings(
          10_000,
          1 << 20,
          16 << 20,
          64 << 10,
          LEAST_FRAME_SIZE,
          Duration.ofSeconds(20), // gRPC connection-backoff.md: MIN_CONNECT_TIMEOUT
          () -> false,
          AbuseLimits.DEFAULT);

  public ConnectionSettings {
    require(maxConcurrentStreams >= 0, "max concurrent streams is negative");
    require(streamWindow >= 0, "stream window is negative");
    require(connectionWindow >= INITIAL_WINDOW, "connection window is below 65535");
    require(maxHeaderListBytes > 0, "max header list is not positive");
    require(
        maxFrameSize >= LEAST_FRAME_SIZE && maxFrameSize < 1 << 24,
        "max frame size is not in 16384..16777215");
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  public ConnectionSettings withMaxConcurrentStreams(int streams) {
    return new ConnectionSettings(
        streams,
        streamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        handshakeTimeout,
        memoryIsShort,
        abuse);
  }

  public ConnectionSettings withWindows(int stream, int connection) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        stream,
        connection,
        maxHeaderListBytes,
        maxFrameSize,
        handshakeTimeout,
        memoryIsShort,
        abuse);
  }

  public ConnectionSettings withMaxHeaderListBytes(int bytes) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        connectionWindow,
        bytes,
        maxFrameSize,
        handshakeTimeout,
        memoryIsShort,
        abuse);
  }

  public ConnectionSettings withMemory(BooleanSupplier isShort) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        handshakeTimeout,
        isShort,
        abuse);
  }

  public ConnectionSettings withAbuse(AbuseLimits limits) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        handshakeTimeout,
        memoryIsShort,
        limits);
  }

  /**
   * Bounds on work that brings nobody forward, counted per connection.
   *
   * @param period the time over which is counted
   * @param resets resets (received, or sent because the peer broke a rule) that are let pass in a
   *     period; beyond it more than half of the streams opened must have ended otherwise
   * @param controlFrames SETTINGS, PING, PRIORITY, WINDOW_UPDATE, unknown and empty frames that are
   *     let pass in a period, beside eight for every useful frame
   * @param continuationFrames CONTINUATION frames in one header block
   * @param unsentBytes bytes that may wait for a peer that does not read
   */
  @AnyThread
  public record AbuseLimits(
      Duration period, int resets, int controlFrames, int continuationFrames, int unsentBytes) {
    public static final AbuseLimits DEFAULT =
        new AbuseLimits(Duration.ofSeconds(30), 10_000, 10_000, 64, 8 << 20);
  }
}
