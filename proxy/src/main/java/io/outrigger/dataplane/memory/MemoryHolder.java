package io.outrigger.dataplane.memory;

import io.outrigger.base.LoopConfined;

/** A connection, as {@link LoopMemory} ranks, pauses and ends it. All calls on its loop. */
@LoopConfined
public interface MemoryHolder {
  /** Which kind of peer it leads to. */
  PeerSide side();

  /**
   * About how many bytes the process would have back without this connection. Cheap and coarse: a
   * constant for each stream, and the bytes that wait on it in either direction.
   */
  long weight();

  /**
   * Whether the calls of many apps depend on this connection, as on one to a backend. It is ended
   * only when much of its own waits on it.
   */
  boolean isShared();

  /** Since when its peer has taken nothing and sent nothing that counts, by the loop's clock. */
  long stillSinceNanos();

  /** How often something has moved on it in the last one or two seconds. */
  long moves();

  /** Whether most of what it holds was read from its peer, so that it helps to read no more. */
  boolean isHeavyByReading();

  /** Stops to read from the peer, or goes on. */
  void pauseReading(boolean paused);

  /** Closes the connection at once, since memory is short. */
  void end();

  /** A second has passed. */
  void onTick(long nowNanos);

  /** Memory is short: copies small parts out of large read buffers. */
  void onShort();

  /** The peer, for people. */
  String peer();

  /** How many streams are open. */
  int streams();
}
