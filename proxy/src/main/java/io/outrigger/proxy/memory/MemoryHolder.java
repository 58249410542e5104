package io.outrigger.proxy.memory;

import io.outrigger.base.LoopConfined;

/** The owner of a {@link MemoryAccount}, which can be asked to hold less. All calls on its loop. */
@LoopConfined
public interface MemoryHolder {
  /**
   * Ends what it holds for its peer until about {@code bytes} have been given back: its heaviest
   * streams first, then the connection itself. The account has changed when this returns.
   *
   * @param bytes more than 0
   */
  void letGo(long bytes);

  /**
   * Whether it holds what was read from its peer. What waits to be sent goes when its peer says so,
   * and must be read from for that.
   */
  boolean isHeavyByReading();

  /** Reads no more from its peer, or reads again: what is under way is enough for now. */
  void pauseReading(boolean paused);

  /**
   * A second has passed: looks at what its peer has begun and not ended, and at what it does not
   * take. The account is up to date when this returns.
   *
   * @param nowNanos by the clock of the loop
   */
  void onTick(long nowNanos);

  /** Memory is short, which is told ten times a second: keeps nothing for speed alone. */
  void onShort();

  /**
   * Whether calls of many depend on it, as on a connection to a backend: while it holds little it
   * is not asked.
   */
  boolean isShared();

  /** The peer, for people. */
  String peer();

  /** How many streams are open. */
  int streams();
}
