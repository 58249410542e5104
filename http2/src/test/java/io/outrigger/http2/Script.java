package io.outrigger.http2;

import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The events of one connection, step by step: frames of the peer, and actions of the layer above.
 *
 * @param server true if the connection under test is a server, whose peer is an app; false if its
 *     peer is a backend
 */
record Script(boolean server, List<Step> steps) {
  sealed interface Step {}

  /** The peer sends one whole frame. */
  @SuppressWarnings("ArrayRecordComponent") // never compared by equals
  record Sends(Frame frame, byte[] bytes) implements Step {
    static Sends of(byte[] bytes) {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      int lengthAndType = in.getInt();
      int flags = in.get() & 0xff;
      int id = in.getInt() & Integer.MAX_VALUE;
      byte[] payload = Arrays.copyOfRange(bytes, in.position(), bytes.length);
      return new Sends(new Frame(lengthAndType & 0xff, flags, id, payload), bytes);
    }

    @Override
    public String toString() {
      String words = frame.type() == FrameType.RST_STREAM ? "RST_STREAM" : words();
      return words + " id " + frame.streamId() + " flags " + frame.flags() + hex();
    }

    private String words() {
      boolean isWhole = frame.type() != FrameType.GOAWAY || frame.payload().length >= 8;
      boolean isUpdate = frame.type() == FrameType.WINDOW_UPDATE;
      return !isWhole || (isUpdate && frame.payload().length < 4)
          ? "TYPE-" + frame.type()
          : frame.toString();
    }

    private String hex() {
      byte[] payload = frame.payload();
      return payload.length > 64
          ? " (" + payload.length + " bytes)"
          : " " + HexFormat.of().formatHex(payload);
    }
  }

  /** An action of the layer above; without effect on a stream that is not open for sending. */
  enum Act {
    /** The next request of a client. */
    OPEN,
    OPEN_WHOLE,
    HEAD,
    SOME_DATA,
    LAST_DATA,
    TRAILERS,
    RESET
  }

  record Does(Act act, int id) implements Step {}

  /**
   * Splits {@code bytes}, starting at {@code from}, into frames by their length fields. The last
   * frame is padded with zeros to be complete, unless its length exceeds the maximum.
   */
  static List<Sends> cut(byte[] bytes, int from) {
    List<Sends> frames = new ArrayList<>();
    for (int at = from; at < bytes.length; ) {
      byte[] head = Arrays.copyOfRange(bytes, at, at + FrameType.HEADER_BYTES);
      int payload = ByteBuffer.wrap(head).getInt() >>> 8;
      boolean isTooLong = payload > ConnectionSettings.FRAME_SIZE;
      int length = FrameType.HEADER_BYTES + (isTooLong ? 0 : payload);
      frames.add(Sends.of(Arrays.copyOfRange(bytes, at, at + length)));
      at = isTooLong ? bytes.length : at + length;
    }
    return frames;
  }

  /** The script starts after the peer's SETTINGS and its acknowledgment of ours. */
  static Script ready(boolean server, Object... steps) {
    List<Step> all = new ArrayList<>();
    all.add(Sends.of(Frames.settings()));
    all.add(Sends.of(Frames.settingsAck()));
    for (Object step : steps) {
      all.add(step instanceof byte[] bytes ? Sends.of(bytes) : (Step) step);
    }
    return new Script(server, all);
  }

  static Script toServer(Object... steps) {
    return ready(true, steps);
  }

  static Script toClient(Object... steps) {
    return ready(false, steps);
  }

  @Override
  public String toString() {
    return (server ? "to a server" : "to a client")
        + steps.stream().map(step -> "\n  " + step).collect(Collectors.joining());
  }
}
