package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * A connection that {@link ProcessMemory} ranks, pauses and ends. All methods are called on the
 * connection's event loop.
 */
@LoopConfined
public interface MemoryHolder {
  /**
   * Returns about how many bytes the end of the connection would free: a constant for the
   * connection and for each stream, plus the bytes that wait in either direction.
   */
  long weight();

  /**
   * Whether calls of many apps use this connection, which is true of a connection to a backend. To
   * free memory, the proxy ends a shared connection only if the connection holds many bytes outside
   * of its streams.
   */
  boolean isShared();

  /** Returns the time, by the loop's clock, of the peer's last progress, such as accepted bytes. */
  long lastProgressNanos();

  /** Returns the number of DATA transfers and of stream ends in the last one or two seconds. */
  long moves();

  /**
   * Whether most of the held bytes were read from the peer, so that pausing reads helps.
   *
   * @param weight the number of bytes that {@link #weight} returns now
   */
  boolean isHeavyByReading(long weight);

  /** Stops or resumes reading from the peer. */
  void pauseReading(boolean paused);

  void end();
}
