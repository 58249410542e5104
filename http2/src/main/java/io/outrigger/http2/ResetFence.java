package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * Limits the number of requests that a client resets before the server has responded. A server may
 * still have to read requests that were reset. A reset immediately makes room for another stream
 * (RFC 9113 section 5.1.2). An app that cancels all of its requests (CVE-2023-44487) could thus
 * send requests faster than a backend reads them, at the expense of other apps.
 *
 * <p>After {@value #STEP} resets of requests that the server had not answered, this class sends an
 * empty SETTINGS frame. A server that acknowledges SETTINGS has read all earlier frames (section
 * 6.5.3). SETTINGS are used instead of PING: gRPC servers close a connection after three PINGs if
 * they sent no response in between. While the server may not yet have read {@value #MAX} requests
 * that were reset, no stream is opened. If the server does not acknowledge the frame within {@value
 * #TIMEOUT_SECONDS} seconds, the requests that were reset before the frame count as read.
 */
@LoopConfined
final class ResetFence {
  static final int STEP = 256;
  static final int MAX = 1_024;
  static final int TIMEOUT_SECONDS = 5;

  private final FrameWriter writer;
  private boolean isSettingsInFlight;

  /** The number of resets sent before the SETTINGS frame whose acknowledgment is awaited. */
  private int resetsBefore;

  /** The number of resets after the last SETTINGS frame. */
  private int resetsAfter;

  private int secondsWaited;

  ResetFence(FrameWriter writer) {
    this.writer = writer;
  }

  /** Whether one more request may be sent. */
  boolean isOpen() {
    return resetsBefore + resetsAfter < MAX;
  }

  /** Called when a request was reset before the server has responded. */
  void onReset() {
    resetsAfter++;
    sendWhenDue();
  }

  private void sendWhenDue() {
    if (!isSettingsInFlight && resetsAfter >= STEP) {
      isSettingsInFlight = true;
      resetsBefore = resetsAfter;
      resetsAfter = 0;
      secondsWaited = 0;
      writer.emptySettings();
    }
  }

  /** Called when the server has acknowledged SETTINGS or has not done so in time. */
  void onAck() {
    isSettingsInFlight = false;
    resetsBefore = 0;
    sendWhenDue();
  }

  /** Called once a second; returns whether the wait for the acknowledgment has timed out. */
  boolean onTick() {
    if (isSettingsInFlight && ++secondsWaited > TIMEOUT_SECONDS) {
      onAck();
      return true;
    }
    return false;
  }
}
