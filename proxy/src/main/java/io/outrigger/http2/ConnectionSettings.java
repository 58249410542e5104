package io.outrigger.http2;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.memory.MemoryGauge;
import java.time.Duration;

/**
 * What one side of a connection grants its peer.
 *
 * @param maxConcurrentStreams streams the peer may have open; more are refused one by one
 * @param streamWindow bytes of DATA a peer may have under way on a stream at first
 * @param widestStreamWindow the same on a stream whose DATA goes on
 * @param connectionWindow bytes of DATA a peer may send before it is told of more credit; and by
 *     how much the windows of all streams may grow together
 * @param maxHeaderListBytes the decoded size of a header list, every cookie crumb and 32 bytes per
 *     field included (RFC 9113 section 6.5.2)
 * @param maxFrameSize the largest frame payload the peer may send
 * @param timeouts how long a peer may take for what it has begun
 * @param memory counts what the peer makes us hold, and says when that is too much
 * @param abuse when a peer that keeps us busy for nothing is told to calm down
 */
@AnyThread
public record ConnectionSettings(
    int maxConcurrentStreams,
    int streamWindow,
    int widestStreamWindow,
    int connectionWindow,
    int maxHeaderListBytes,
    int maxFrameSize,
    Timeouts timeouts,
    MemoryGauge memory,
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
          1 << 20,
          16 << 20,
          64 << 10,
          LEAST_FRAME_SIZE,
          Timeouts.DEFAULT,
          MemoryGauge.UNLIMITED,
          AbuseLimits.DEFAULT);

  public ConnectionSettings {
    require(maxConcurrentStreams >= 0, "max concurrent streams is negative");
    require(streamWindow >= 0, "stream window is negative");
    require(widestStreamWindow >= streamWindow, "widest stream window is below the first");
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
        widestStreamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        timeouts,
        memory,
        abuse);
  }

  /** The same with windows of streams that stay as they are. */
  public ConnectionSettings withWindows(int stream, int connection) {
    return withWindows(stream, stream, connection);
  }

  public ConnectionSettings withWindows(int stream, int widestStream, int connection) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        stream,
        widestStream,
        connection,
        maxHeaderListBytes,
        maxFrameSize,
        timeouts,
        memory,
        abuse);
  }

  public ConnectionSettings withMaxHeaderListBytes(int bytes) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        widestStreamWindow,
        connectionWindow,
        bytes,
        maxFrameSize,
        timeouts,
        memory,
        abuse);
  }

  public ConnectionSettings withTimeouts(Timeouts limits) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        widestStreamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        limits,
        memory,
        abuse);
  }

  public ConnectionSettings withMemory(MemoryGauge gauge) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        widestStreamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        timeouts,
        gauge,
        abuse);
  }

  public ConnectionSettings withAbuse(AbuseLimits limits) {
    return new ConnectionSettings(
        maxConcurrentStreams,
        streamWindow,
        widestStreamWindow,
        connectionWindow,
        maxHeaderListBytes,
        maxFrameSize,
        timeouts,
        memory,
        limits);
  }

  /**
   * How long a peer may take for what it has begun. Each is noticed at most a second late.
   *
   * @param handshake from the connection to the first SETTINGS
   * @param frame from the first byte of a frame that must be whole before it means something, or of
   *     a header block, to its last; DATA passes as it comes and takes as long as it likes
   * @param unread without one byte of what was sent to it being taken by its socket
   */
  @AnyThread
  public record Timeouts(Duration handshake, Duration frame, Duration unread) {
    /**
     * gRPC connection-backoff.md: MIN_CONNECT_TIMEOUT. An app writes a frame at once; one that a
     * debugger has stopped may not read for minutes.
     */
    public static final Timeouts DEFAULT =
        new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(30), Duration.ofMinutes(5));
  }

  /**
   * Bounds on work that brings nobody forward, counted per connection.
   *
   * @param period the time over which is counted
   * @param resets resets (received, or sent because the peer broke a rule) that are let pass in a
   *     period; beyond it more than a quarter of the streams opened must have ended otherwise
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
