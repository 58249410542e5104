package io.outrigger.http2;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;

/** Switches reading of a connection's socket on and off. No other class changes this setting. */
@LoopConfined
final class ReadGate implements ReadTurn.Reader {
  /**
   * The time for which a socket is not read when no buffer was available. Other connections may
   * release buffers in this time.
   */
  static final long WAIT_MILLIS = 20;

  private final Channel channel;
  private final StreamTable streams;
  private boolean paused;
  private boolean waits;

  ReadGate(Channel channel, StreamTable streams) {
    this.channel = channel;
    this.streams = streams;
  }

  /** Pauses or resumes reading, as {@link ConnectionMemory} requests. */
  void pause(boolean paused) {
    this.paused = paused;
    set();
  }

  @Override
  public long startedStreams() {
    return streams.started();
  }

  @Override
  public void onNoBuffer() {
    waits = true;
    set();
    var unused = channel.eventLoop().schedule(this::readAgain, WAIT_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void readAgain() {
    waits = false;
    if (channel.isOpen()) {
      set();
    }
  }

  private void set() {
    channel.config().setAutoRead(!paused && !waits);
  }
}
