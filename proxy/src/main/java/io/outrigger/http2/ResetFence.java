package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * Bounds the requests that were sent to a server, and reset before it has answered: nobody waits
 * for them any more, but they are on the way to it. A reset makes room for another stream at once
 * (RFC 9113 section 5.1.2); so an app that cancels all that it begins (CVE-2023-44487) would fill
 * the sockets to a backend with megabytes of such requests, before those of others, faster than the
 * backend reads them.
 *
 * <p>After {@value #STEP} of them an empty SETTINGS frame is sent. Its acknowledgement tells that
 * the server has read what came before (section 6.5.3); a PING would tell the same, but gRPC's
 * servers end a connection for a third one without an answer in between. With {@value #MAX} that
 * the server may not have read, no stream is opened. A server that does not acknowledge is waited
 * for {@value #PATIENCE_SECONDS} seconds each time.
 */
@LoopConfined
final class ResetFence {
  static final int STEP = 256;
  static final int MAX = 1_024;
  static final int PATIENCE_SECONDS = 5;

  private final FrameWriter writer;
  private boolean sent;
  private int before;
  private int behind;
  private int seconds;

  ResetFence(FrameWriter writer) {
    this.writer = writer;
  }

  /** Whether one more request may be sent. */
  boolean isOpen() {
    return before + behind < MAX;
  }

  /** A request was reset to which the server has said nothing. */
  void onReset() {
    behind++;
    sendWhenDue();
  }

  private void sendWhenDue() {
    if (!sent && behind >= STEP) {
      sent = true;
      before = behind;
      behind = 0;
      seconds = 0;
      writer.emptySettings();
    }
  }

  /** The server has read all that was sent before the frame, or is taken to have. */
  void onAck() {
    sent = false;
    before = 0;
    sendWhenDue();
  }

  /** A second has passed; returns whether the server is waited for no longer. */
  boolean onTick() {
    if (sent && ++seconds > PATIENCE_SECONDS) {
      onAck();
      return true;
    }
    return false;
  }
}
