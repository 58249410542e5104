package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.outrigger.base.LoopConfined;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records the events of a stream; returns credit at once unless it is set to hold credit. */
@LoopConfined
class RecordingStream implements StreamHandler {
  final List<String> events = new ArrayList<>();
  final List<HeaderList> headers = new ArrayList<>();
  final ByteArrayOutputStream content = new ByteArrayOutputStream();
  @Nullable Http2Stream stream;
  boolean holds;
  int held;
  int sent;
  boolean ended;
  boolean over;
  boolean timeUp;

  SocketStream stream() {
    if (!(stream instanceof SocketStream known)) {
      throw new IllegalStateException("no stream yet");
    }
    return known;
  }

  /** The events as one text, with consecutive DATA joined. */
  String story() {
    return String.join(" ", events);
  }

  String text() {
    return content.toString(StandardCharsets.UTF_8);
  }

  void release() {
    int bytes = held;
    held = 0;
    stream().consumed(bytes);
  }

  @Override
  public void onTooLarge(HeaderList fitting, boolean endStream) {
    if (stream().isOpenForSending()) {
      stream().sendHeaders(HeaderList.builder(1).add(KnownName.STATUS, "431").build(), true);
      if (!endStream) {
        stream().reset(Http2Error.NO_ERROR);
      }
    }
  }

  @Override
  public void onHeaders(HeaderList list, boolean endStream) {
    check();
    headers.add(list);
    events.add(endStream ? "headers+end" : "headers");
    ended |= endStream;
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    check();
    int bytes = data.readableBytes();
    content.writeBytes(ByteBufUtil.getBytes(data));
    data.release();
    if (endStream) {
      events.add("data+end");
    } else if (events.isEmpty() || !events.get(events.size() - 1).equals("data")) {
      events.add("data");
    }
    ended |= endStream;
    if (holds) {
      held += bytes;
    } else {
      stream().consumed(bytes);
    }
  }

  @Override
  public boolean isTimeUp() {
    return timeUp;
  }

  @Override
  public void onDataSent(int bytes) {
    check();
    sent += bytes;
  }

  @Override
  public void onReset(Http2Error error) {
    check();
    over = true;
    events.add("reset by peer " + error);
  }

  @Override
  public void onFault(Http2Error error, String reason) {
    check();
    over = true;
    events.add("reset " + error);
  }

  @Override
  public void onOverload() {
    check();
    events.add("overload");
  }

  @Override
  public void onConnectionLost(Refusal refusal, String reason) {
    check();
    over = true;
    events.add(refusal == Refusal.NONE ? "lost" : "refused");
  }

  private void check() {
    if (over) {
      throw new AssertionError("event after the last one: " + events);
    }
  }
}
