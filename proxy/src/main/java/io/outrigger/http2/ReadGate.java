package io.outrigger.http2;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;
import java.util.concurrent.TimeUnit;

/** Whether a connection's socket is read: nobody else switches that on or off. */
@LoopConfined
final class ReadGate implements ReadTurn.Reader {
  /** How long one that found no buffer is not read: others let go meanwhile. */
  static final long WAIT_MILLIS = 20;

  private final Channel channel;
  private final StreamTable streams;
  private boolean paused;
  private boolean waits;

  ReadGate(Channel channel, StreamTable streams) {
    this.channel = channel;
    this.streams = streams;
  }

  /** Stops reading, or goes on, as the rule of memory wants it. */
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
