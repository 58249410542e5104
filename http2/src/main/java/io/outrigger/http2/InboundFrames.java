package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles received frames (RFC 9113 sections 5.1, 6 and 8). Checks frames of a stream against the
 * state of the stream. Passes frames of the connection to {@link ConnectionLifecycle}. Each stream
 * error of the peer counts as a reset, whichever side sends the RST_STREAM.
 */
@LoopConfined
final class InboundFrames implements FrameListener {
  private static final Logger log = LoggerFactory.getLogger(InboundFrames.class);

  private final ConnectionLifecycle lifecycle;
  private final ConnectionStreams streams;
  private final StreamTable table;
  private final SendScheduler scheduler;
  private final LoopTurn.Mark dirty;
  private final HpackDecoder hpack;
  private final FrameWriter writer;
  private final AbuseGuard guard;
  private final ConnectionState state;

  /** The stream of the DATA frame that is being received; null when its DATA is dropped. */
  private @Nullable SocketStream dataStream;

  private boolean dataEnds;

  InboundFrames(
      ConnectionState state,
      LoopTurn.Mark dirty,
      FrameWriter writer,
      HpackDecoder hpack,
      AbuseGuard guard,
      ConnectionStreams streams,
      ConnectionLifecycle lifecycle) {
    this.state = state;
    this.dirty = dirty;
    this.writer = writer;
    this.hpack = hpack;
    this.guard = guard;
    this.streams = streams;
    this.lifecycle = lifecycle;
    table = streams.table();
    scheduler = streams.scheduler();
  }

  @Override
  public void onDataStart(int id, int flowBytes, int padding, boolean endStream)
      throws ConnectionFault {
    dataStream = null;
    SocketStream stream = table.get(id);
    if (stream == null && table.isIdle(id)) {
      throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "DATA on an idle stream");
    }
    if (!streams.receive(flowBytes)) {
      throw new ConnectionFault(
          Http2Error.FLOW_CONTROL_ERROR, "DATA beyond the connection's window");
    }
    int content = flowBytes - padding;
    if (stream == null || (content == 0 && !endStream)) {
      guard.onIdleFrame();
    } else {
      guard.onUsefulFrame();
    }
    if (stream == null) {
      if (!table.mayHaveBeenReset(id)) {
        refuse(id, Http2Error.STREAM_CLOSED, "DATA on a closed stream");
      }
      return;
    }
    Fault fault = dataFault(stream, flowBytes, content, endStream);
    if (fault != null) {
      reset(stream, fault.error, fault.reason);
      return;
    }
    stream.hold(flowBytes);
    stream.consumed(padding);
    if (!stream.isGone()) {
      dataStream = stream;
      dataEnds = endStream;
    }
  }

  private static @Nullable Fault dataFault(
      SocketStream stream, int flowBytes, int content, boolean endStream) {
    if (stream.isReceiveEnded()) {
      return new Fault(Http2Error.STREAM_CLOSED, "DATA after END_STREAM");
    }
    if (!stream.receive(flowBytes)) {
      return new Fault(Http2Error.FLOW_CONTROL_ERROR, "DATA beyond the stream's window");
    }
    if (!stream.hasHead()) {
      return new Fault(Http2Error.PROTOCOL_ERROR, "DATA before the response's head");
    }
    return stream.takeContent(content, endStream) ? null : Fault.WRONG_LENGTH;
  }

  @Override
  public void onDataPart(ByteBuf part, boolean last) throws ConnectionFault {
    SocketStream stream = dataStream;
    if (stream == null || stream.isGone()) {
      // The flow-control credit for DATA of an ended stream was settled when the stream ended.
      part.release();
      return;
    }
    boolean end = last && dataEnds;
    if (last) {
      dataStream = null;
    }
    if (end) {
      stream.onEndReceived();
    }
    stream.handler().onData(part, end);
    if (end) {
      stream.settle();
    }
  }

  @Override
  public void onHeaderBlock(int id, ByteBuf block, boolean endStream) throws ConnectionFault {
    HeaderList headers = hpack.decode(block);
    SocketStream stream = table.get(id);
    if (stream != null) {
      onMoreHeaders(stream, headers, endStream);
    } else if (table.isIdle(id)) {
      if (!state.isServer() || (id & 1) == 0) {
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "HEADERS on an idle stream");
      }
      onRequest(id, headers, endStream);
    } else if (table.mayBeLate(id)) {
      guard.onIdleFrame();
    } else {
      throw new ConnectionFault(
          table.wasClosed(id) ? Http2Error.STREAM_CLOSED : Http2Error.PROTOCOL_ERROR,
          "HEADERS on a closed stream");
    }
  }

  private void onRequest(int id, HeaderList headers, boolean endStream) throws ConnectionFault {
    table.onPeerId(id);
    guard.onStream();
    if (!streams.admits()) {
      refuse(id, Http2Error.REFUSED_STREAM, "too many streams");
      return;
    }
    boolean isCut = headers.isCut();
    String fault = isCut ? null : HeaderRules.requestFault(headers);
    long length = isCut || fault != null ? -1 : HeaderRules.contentLength(headers);
    if (endStream && length > 0) {
      fault = "content-length is wrong";
    }
    if (fault != null) {
      lifecycle.handler().onRefused(headers.validFields(), fault);
      refuse(id, Http2Error.PROTOCOL_ERROR, fault);
      return;
    }
    SocketStream stream = streams.openByPeer(id, headers);
    stream.onHead(length);
    if (endStream) {
      stream.onEndReceived();
    }
    StreamHandler handler = lifecycle.handler().onStream(stream);
    if (stream.isGone()) {
      return;
    }
    stream.handler(handler);
    if (isCut) {
      handler.onTooLarge(headers, endStream);
      guard.onReset();
    } else {
      handler.onHeaders(headers, endStream); // the response's END_STREAM will call settle()
    }
  }

  /** Resets a stream that was never added to the table. */
  private void refuse(int id, Http2Error error, String reason) throws ConnectionFault {
    dirty.onWork(LoopTurn.STREAM_WORK);
    log.debug("{}: stream {} refused: {}", state, id, reason);
    writer.reset(id, error);
    table.remember(id, true);
    guard.onReset();
  }

  /** Resets a stream because the peer broke a rule. */
  private void reset(SocketStream stream, Http2Error error, String reason) throws ConnectionFault {
    log.debug("{}: stream {} reset: {}", state, stream.id(), reason);
    streams.resetByUs(stream, error);
    stream.handler().onFault(error, reason);
    guard.onReset();
  }

  private void onMoreHeaders(SocketStream stream, HeaderList headers, boolean endStream)
      throws ConnectionFault {
    Fault fault = headersFault(stream, headers, endStream);
    if (fault != null) {
      reset(stream, fault.error, fault.reason);
      return;
    }
    if (stream.hasHead()) {
      guard.onUsefulFrame();
    } else {
      guard.onIdleFrame(); // otherwise a peer could send interim responses without end
    }
    if (endStream) {
      stream.onEndReceived();
    }
    stream.handler().onHeaders(headers, endStream);
    if (endStream) {
      stream.settle();
    }
  }

  /** Checks an interim or final response head or trailers, and records the content-length. */
  private @Nullable Fault headersFault(SocketStream stream, HeaderList headers, boolean endStream) {
    if (stream.isReceiveEnded()) {
      return new Fault(Http2Error.STREAM_CLOSED, "HEADERS after END_STREAM");
    }
    if (headers.isCut()) {
      return new Fault(
          Http2Error.ENHANCE_YOUR_CALM,
          "header list is larger than " + hpack.maxListBytes() + " bytes (--max-header-bytes)");
    }
    String fault;
    if (stream.hasHead()) {
      fault = endStream ? HeaderRules.trailersFault(headers) : "trailers do not end the stream";
      if (fault == null && stream.lacksContent()) {
        return Fault.WRONG_LENGTH;
      }
    } else {
      fault = HeaderRules.responseFault(headers);
      if (fault == null && HeaderRules.isInterim(headers)) {
        fault = endStream ? "interim response ends the stream" : null;
      } else if (fault == null) {
        boolean empty = stream.isHeadRequest() || HeaderRules.hasNoContent(headers);
        stream.onHead(empty ? 0 : HeaderRules.contentLength(headers));
        if (endStream && stream.lacksContent()) {
          return Fault.WRONG_LENGTH;
        }
      }
    }
    return fault == null ? null : new Fault(Http2Error.PROTOCOL_ERROR, fault);
  }

  @Override
  public void onReset(int id, long code) throws ConnectionFault {
    if (table.isIdle(id)) {
      throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "RST_STREAM on an idle stream");
    }
    SocketStream stream = table.get(id);
    if (stream == null) {
      guard.onIdleFrame(); // the stream has already ended, so nothing is canceled
      return;
    }
    boolean cancels = !stream.hasHandler() || !stream.handler().isTimeUp();
    streams.resetByPeer(stream, Http2Error.ofCode(code));
    if (cancels) {
      guard.onReset();
    }
  }

  @Override
  public void onWindowUpdate(int id, int increment) throws ConnectionFault {
    guard.onIdleFrame();
    if (id == 0) {
      if (increment == 0) {
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "WINDOW_UPDATE of nothing");
      }
      if (!scheduler.widen(increment)) {
        throw new ConnectionFault(Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
      }
      dirty.set();
      return;
    }
    SocketStream stream = table.get(id);
    if (stream == null) {
      if (table.isIdle(id)) {
        throw new ConnectionFault(Http2Error.PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
      }
      return; // section 5.1: the frame may have been in flight when the stream closed
    }
    if (increment == 0) {
      reset(stream, Http2Error.PROTOCOL_ERROR, "WINDOW_UPDATE of nothing");
    } else if (!stream.widenSendWindow(increment)) {
      reset(stream, Http2Error.FLOW_CONTROL_ERROR, "window passes 2^31-1");
    } else {
      scheduler.join(stream);
    }
  }

  @Override
  public void onSettings(ByteBuf payload) throws ConnectionFault {
    guard.onIdleFrame();
    lifecycle.onSettings(payload);
  }

  @Override
  public void onSettingsAck() throws ConnectionFault {
    guard.onIdleFrame();
    lifecycle.onSettingsAck();
  }

  @Override
  public void onPing(long opaque, boolean ack) throws ConnectionFault {
    guard.onIdleFrame();
    lifecycle.onPing(opaque, ack);
  }

  @Override
  public void onGoAway(int lastStreamId, long code, ByteBuf debug) throws ConnectionFault {
    guard.onIdleWork(Math.max(1, table.active())); // the id of every stream is compared
    String text = debug.toString(StandardCharsets.UTF_8);
    lifecycle.onGoAway(lastStreamId, Http2Error.ofCode(code), text);
  }

  @Override
  public void onIgnored() throws ConnectionFault {
    guard.onIdleFrame();
  }

  @Override
  public void onStreamFault(int id, Http2Error error, String reason) throws ConnectionFault {
    SocketStream stream = table.get(id);
    if (stream != null) {
      reset(stream, error, reason);
    }
  }

  private record Fault(Http2Error error, String reason) {
    static final Fault WRONG_LENGTH =
        new Fault(Http2Error.PROTOCOL_ERROR, "content-length is wrong");
  }
}
