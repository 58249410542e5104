package io.outrigger.proxy.http2;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;

/** Whether a connection's socket is read: nobody else switches that on or off. */
@LoopConfined
final class ReadGate implements ReadTurn.Reader {
  private final Channel channel;
  private final StreamTable streams;
  private boolean paused;
  private boolean held;

  ReadGate(Channel channel, StreamTable streams) {
    this.channel = channel;
    this.streams = streams;
  }

  /** Stops reading, or goes on, as the ledger of memory wants it. */
  void pause(boolean paused) {
    this.paused = paused;
    set();
  }

  /** Stops reading until {@link #admit}. */
  void hold() {
    held = true;
    set();
  }

  /**
   * Goes on, if the ledger lets it.
   *
   * @return false when the connection is gone
   */
  boolean admit() {
    if (!channel.isOpen()) {
      return false;
    }
    held = false;
    set();
    return true;
  }

  @Override
  public long startedStreams() {
    return streams.started();
  }

  @Override
  public boolean isQuiet() {
    return streams.isQuiet();
  }

  @Override
  public void onKnock() {
    Admission.of(channel.eventLoop()).ask(this);
  }

  private void set() {
    channel.config().setAutoRead(!paused && !held);
  }
}
