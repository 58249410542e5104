package io.outrigger.http2;

import io.outrigger.base.AnyThread;
import java.time.Duration;

/**
 * The limits that one side of a connection sets for its peer.
 *
 * @param maxConcurrentStreams the number of streams that the peer may have open; further streams
 *     are refused with REFUSED_STREAM
 * @param streamWindow the initial receive window of a stream, in bytes
 * @param widestStreamWindow the maximum receive window of a stream, which streams reach as their
 *     DATA is consumed
 * @param connectionWindow the receive window of the connection in bytes; also the limit for the
 *     growth of all stream windows together
 * @param maxHeaderListBytes the maximum decoded size of a header list, including every cookie crumb
 *     and 32 bytes per field (RFC 9113 section 6.5.2)
 * @param maxFrameSize the largest frame payload that the peer may send
 * @param timeouts time limits for the peer's handshake, frames and reads
 * @param memory counts the memory held for the peer, and reports when memory is short
 * @param abuse limits beyond which the connection is closed with ENHANCE_YOUR_CALM
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
    ProcessMemory memory,
    AbuseLimits abuse) {
  /** The initial size of every window (RFC 9113 section 6.9.2). */
  static final int INITIAL_WINDOW = 65_535;

  /** The default of SETTINGS_MAX_FRAME_SIZE, which is also its minimum. */
  static final int LEAST_FRAME_SIZE = 16_384;

  /** Settings for a local app that is trusted but may have bugs. */
  public static final ConnectionSettings DEFAULT =
      new ConnectionSettings(
          10_000,
          1 << 20,
          1 << 20,
          16 << 20,
          64 << 10,
          LEAST_FRAME_SIZE,
          Timeouts.DEFAULT,
          ProcessMemory.UNLIMITED,
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

  /** Returns settings with stream windows that do not grow. */
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

  public ConnectionSettings withMemory(ProcessMemory gauge) {
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
   * Time limits for a peer. A limit is detected at most a second late.
   *
   * @param handshake the time from the connection to the peer's first SETTINGS
   * @param frame the time from the first to the last byte of a header block, or of a frame that is
   *     only processed whole; DATA is passed on as it arrives and has no limit
   * @param unread the time in which the peer's socket accepts no byte although bytes wait to be
   *     sent
   */
  @AnyThread
  public record Timeouts(Duration handshake, Duration frame, Duration unread) {
    /**
     * The handshake limit is MIN_CONNECT_TIMEOUT of gRPC's connection-backoff.md. The frame limit
     * is short because an app writes a frame at once. The read limit is long because an app that is
     * stopped in a debugger may not read for minutes.
     */
    public static final Timeouts DEFAULT =
        new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(30), Duration.ofMinutes(5));
  }

  /**
   * Limits for useless work that a peer causes, counted per connection.
   *
   * @param period the time after which the counts are reset
   * @param resets the number of resets (received, or sent because the peer broke a rule) that are
   *     allowed in a period; beyond this number, at least a quarter of the streams opened must have
   *     ended without a reset
   * @param controlFrames the number of SETTINGS, PING, PRIORITY, WINDOW_UPDATE, unknown and empty
   *     frames that are allowed in a period, in addition to eight for every useful frame
   * @param continuationFrames the number of CONTINUATION frames allowed in one header block
   * @param unsentBytes the number of bytes that may wait for a peer that does not read
   */
  @AnyThread
  public record AbuseLimits(
      Duration period, int resets, int controlFrames, int continuationFrames, int unsentBytes) {
    public static final AbuseLimits DEFAULT =
        new AbuseLimits(Duration.ofSeconds(30), 10_000, 10_000, 64, 8 << 20);
  }
}
