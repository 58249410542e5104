package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.Script.Does;
import io.outrigger.http2.Script.Sends;
import io.outrigger.http2.Script.Step;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One side of a connection in memory that executes a {@link Script}. */
@LoopConfined
abstract class Endpoint implements AutoCloseable {
  /** The number of streams that the peer may have open. */
  static final int MAX_STREAMS = 3;

  /** A window below the initial one, so that SETTINGS and their ACK have an effect. */
  static final int STREAM_WINDOW = 30_000;

  /** A limit that is larger than the decoded fields of any script. */
  static final int MAX_HEADER_LIST = 64 << 20;

  static final int SOME_DATA = 3_000;

  /** The event that the layer above receives for a frame. */
  sealed interface Event {}

  record Headers(int id, List<String> fields, boolean end) implements Event {}

  /**
   * @param hash the hash of the content, computed like {@link Arrays#hashCode(byte[])} but starting
   *     at 0
   */
  record Data(int id, int bytes, int hash, boolean end) implements Event {}

  record Reset(int id, Http2Error error) implements Event {}

  record GoAway(int last, Http2Error error) implements Event {}

  record Opened(int id) implements Event {}

  /**
   * The result of one step.
   *
   * @param heard the events of the layer above, in order
   * @param wrote the frames that the step has caused: acknowledgments, and frames sent on streams
   * @param ended streams on which END_STREAM was written
   * @param resets RST_STREAM written, by stream
   * @param error the error code of the connection; null while the connection is open or ends
   *     without an error
   * @param left whether GOAWAY was written
   * @param active streams that are open on either side
   */
  record Answer(
      List<Event> heard,
      Set<String> wrote,
      Set<Integer> ended,
      SortedMap<Integer, Http2Error> resets,
      @Nullable Http2Error error,
      boolean left,
      int active) {
    /** Whether both results are equal. After a connection error only the error is compared. */
    boolean isSameAs(Answer other) {
      if (error != null || other.error != null) {
        return error == other.error && heard.equals(other.heard);
      }
      return equals(other);
    }

    /** Whether the step was accepted without an error. */
    boolean isQuiet() {
      return error == null && resets.isEmpty() && !left;
    }

    boolean isSilent() {
      return isQuiet() && heard.isEmpty() && wrote.isEmpty();
    }

    boolean resetsOnly(int id, Http2Error code) {
      return error == null && heard.isEmpty() && resets.equals(Map.of(id, code));
    }
  }

  final boolean server;
  final List<Event> heard = new ArrayList<>();
  private final Set<Integer> begun = new HashSet<>();
  private final Set<Integer> ended = new HashSet<>();
  private ByteBuf unread = Unpooled.buffer();
  private boolean prefaceRead;
  private int opened;
  private long credit = ConnectionSettings.INITIAL_WINDOW;

  Endpoint(boolean server) {
    this.server = server;
  }

  /** The preface of a client, which is not a frame and not part of a script. */
  final void start() {
    if (server) {
      channel().writeInbound(copy(Frames.PREFACE));
    }
    endTurn();
  }

  abstract EmbeddedChannel channel();

  abstract ByteBuf copy(byte[] bytes);

  abstract boolean canOpen();

  /** Whether the stream is open for sending. */
  abstract boolean canSend(int id);

  abstract boolean isAlive(int id);

  abstract void sendHead(int id, boolean end);

  abstract void sendData(int id, ByteBuf data, boolean end);

  abstract void sendTrailers(int id);

  abstract void reset(int id);

  abstract int active();

  /** Called after each step. */
  abstract void settle();

  final Answer take(Step step) {
    heard.clear();
    play(step);
    return answer();
  }

  final void play(Step step) {
    if (step instanceof Sends sends) {
      read(sends.bytes());
    } else if (step instanceof Does does) {
      act(does);
      endTurn();
    }
  }

  /** Passes bytes of the peer to the connection with one read. */
  final void read(byte... bytes) {
    channel().writeInbound(copy(bytes));
    endTurn();
  }

  private void endTurn() {
    channel().runPendingTasks();
    // An embedded channel ends the turn at each write, even between a frame's header and payload.
    channel().flush();
    settle();
  }

  private void act(Does does) {
    int id = does.id();
    switch (does.act()) {
      case OPEN, OPEN_WHOLE -> {
        if (!server && canOpen()) {
          int next = 1 + 2 * opened++;
          boolean whole = does.act() == Script.Act.OPEN_WHOLE;
          begun.add(next);
          sendHead(next, whole);
          if (whole) {
            ended.add(next);
          }
          heard.add(new Opened(next));
        }
      }
      case HEAD -> {
        if (server && canSend(id) && begun.add(id)) {
          sendHead(id, false);
        }
      }
      case SOME_DATA, LAST_DATA -> {
        boolean last = does.act() == Script.Act.LAST_DATA;
        if (isSendable(id)) {
          if (last) {
            ended.add(id);
          }
          sendData(id, copy(new byte[SOME_DATA]), last);
        }
      }
      case TRAILERS -> {
        if (isSendable(id)) {
          ended.add(id);
          sendTrailers(id);
        }
      }
      case RESET -> {
        if (isAlive(id)) {
          reset(id);
        }
      }
    }
  }

  private boolean isSendable(int id) {
    return begun.contains(id) && !ended.contains(id) && canSend(id);
  }

  /** The total amount of DATA that the peer may send, by the credit announced to it. */
  final long credit() {
    return credit;
  }

  private Answer answer() {
    SortedMap<Integer, Http2Error> resets = new TreeMap<>();
    SortedMap<Integer, Integer> data = new TreeMap<>();
    Set<String> wrote = new TreeSet<>();
    Http2Error error = null;
    boolean left = false;
    Set<Integer> endsWritten = new TreeSet<>();
    for (Frame frame : written()) {
      if (frame.endsStream()) {
        endsWritten.add(frame.streamId());
      }
      switch (frame.type()) {
        case FrameType.RST_STREAM ->
            resets.put(frame.streamId(), Http2Error.ofCode(frame.number(0)));
        case FrameType.GOAWAY -> {
          left = true;
          Http2Error code = Http2Error.ofCode(frame.number(4));
          error = code == Http2Error.NO_ERROR ? null : code;
        }
        case FrameType.DATA -> data.merge(frame.streamId(), frame.payload().length, Integer::sum);
        case FrameType.HEADERS -> wrote.add("HEADERS " + frame.streamId());
        case FrameType.SETTINGS, FrameType.PING -> {
          if (frame.isAck()) {
            wrote.add(frame + " " + frame.text());
          }
        }
        case FrameType.WINDOW_UPDATE -> credit += frame.streamId() == 0 ? frame.number(0) : 0;
        default -> {} // each implementation decides when it returns credit
      }
    }
    data.forEach(
        (id, bytes) -> {
          if (bytes > 0) {
            wrote.add("DATA " + id + " " + bytes);
          }
        });
    return new Answer(
        List.copyOf(heard), wrote, endsWritten, resets, error, left, left ? 0 : active());
  }

  /** The frames that were written since the previous call. */
  final List<Frame> written() {
    EmbeddedChannel channel = channel();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      unread.writeBytes(out);
      out.release();
    }
    if (!server && !prefaceRead) {
      unread.skipBytes(Frames.PREFACE.length);
      prefaceRead = true;
    }
    List<Frame> frames = new ArrayList<>();
    while (unread.readableBytes() >= FrameType.HEADER_BYTES) {
      byte[] payload = new byte[unread.readUnsignedMedium()];
      int type = unread.readUnsignedByte();
      int flags = unread.readUnsignedByte();
      int id = unread.readInt();
      unread.readBytes(payload);
      frames.add(new Frame(type, flags, id, payload));
    }
    unread.clear();
    return frames;
  }

  final void heardData(int id, ByteBuf data, boolean end) {
    int bytes = data.readableBytes();
    int hash = 0;
    int last = heard.size() - 1;
    if (last >= 0 && heard.get(last) instanceof Data before && before.id() == id) {
      bytes += before.bytes();
      hash = before.hash();
      heard.remove(last);
    }
    for (int at = data.readerIndex(); at < data.writerIndex(); at++) {
      hash = 31 * hash + data.getByte(at);
    }
    if (bytes > 0 || end) {
      heard.add(new Data(id, bytes, hash, end));
    }
  }

  /** Netty moves {@code content-length} after the other fields, so the comparison does the same. */
  static List<String> normal(List<String> fields) {
    List<String> others = new ArrayList<>(fields);
    List<String> lengths = new ArrayList<>(fields);
    others.removeIf(field -> field.startsWith("content-length="));
    lengths.removeIf(field -> !field.startsWith("content-length="));
    // Netty also merges equal values into one without leading zeros.
    lengths.stream()
        .map(field -> field.replaceFirst("=0+(?=.)", "="))
        .distinct()
        .forEach(others::add);
    return others;
  }

  @Override
  public abstract void close();
}
