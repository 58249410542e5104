package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the peer's stream errors and counts them. Each stream error counts as a reset, whichever
 * side sends the RST_STREAM.
 */
@LoopConfined
final class PeerFaults {
  private static final Logger log = LoggerFactory.getLogger(PeerFaults.class);

  private static final HeaderList TOO_LARGE =
      HeaderList.builder(1).add(KnownName.STATUS, "431").build();

  private final ConnectionState state;
  private final FrameWriter writer;
  private final StreamTable table;
  private final ConnectionStreams streams;
  private final AbuseGuard guard;

  PeerFaults(
      ConnectionState state, FrameWriter writer, ConnectionStreams streams, AbuseGuard guard) {
    this.state = state;
    this.writer = writer;
    this.streams = streams;
    this.guard = guard;
    table = streams.table();
  }

  void onStream() {
    guard.onStream();
  }

  void onUsefulFrame() {
    guard.onUsefulFrame();
  }

  void onIdleFrame() throws ConnectionFault {
    onIdleWork(1);
  }

  void onIdleWork(int frames) throws ConnectionFault {
    if (guard.onIdleWork(frames)) {
      throw new ConnectionFault(Http2Error.ENHANCE_YOUR_CALM, "too many frames without content");
    }
  }

  void countReset() throws ConnectionFault {
    // Only a server counts resets: streams that a backend resets are handled by the layers above.
    if (state.isServer() && guard.onReset()) {
      throw new ConnectionFault(Http2Error.ENHANCE_YOUR_CALM, "too many streams are reset");
    }
  }

  /** Resets a stream that was never added to the table. */
  void refuse(int id, Http2Error error, String reason) throws ConnectionFault {
    log.debug("{}: stream {} refused: {}", state, id, reason);
    writer.reset(id, error);
    table.remember(id, true);
    countReset();
  }

  /**
   * Responds with status 431 to a request whose header list is too large, unless the handler has
   * already responded.
   */
  void onTooLarge(SocketStream stream) throws ConnectionFault {
    log.debug("{}: stream {}: header list is too large", state, stream.id());
    if (stream.isOpenForSending()) {
      boolean ended = stream.isReceiveEnded();
      stream.sendHeaders(TOO_LARGE, true);
      if (!ended) {
        stream.reset(Http2Error.NO_ERROR); // section 8.1: the rest is not needed
      }
    }
    countReset();
  }

  /** Resets a stream whose peer broke a rule. */
  void reset(SocketStream stream, Http2Error error, String reason) throws ConnectionFault {
    log.debug("{}: stream {} reset: {}", state, stream.id(), reason);
    streams.resetByUs(stream, error);
    stream.handler().onFault(error, reason);
    countReset();
  }
}
