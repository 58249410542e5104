package io.outrigger.http2;

import io.netty.util.collection.IntObjectHashMap;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one connection by id, and what is known of ids that are not open: idle, or closed
 * and how. The last few hundred closed ones are remembered exactly, since their peer may not know
 * yet (RFC 9113 section 5.1 "closed").
 */
@LoopConfined
final class StreamTable {
  private static final int REMEMBERED = 512;
  private static final int FIRST_REMEMBERED = 16;

  /** Key and value, in a map of which between a quarter and a half is in use. */
  private static final int BYTES_PER_STREAM = 32;

  /** A map that never had more streams than this counts as part of its connection. */
  private static final int MAX_FEW = 64;

  /** The map of all connections that have no stream; nothing is ever put into it. */
  private static final IntObjectHashMap<SocketStream> NONE = new IntObjectHashMap<>(1);

  private static final int[] NO_IDS = {};

  private final boolean server;
  private IntObjectHashMap<SocketStream> open = NONE;

  /** The most streams that the map has had. */
  private int most;

  /** Opened by us, first header block not written: they have no number yet. */
  private final List<SocketStream> unnumbered;

  /** Ids closed last; negative ones by our reset. Grows to its bound only when used. */
  private int[] closed = NO_IDS;

  private int closedCount;
  private int lastPeerId;
  private int nextLocalId = 1;
  private long started;
  private long succeeded;
  private long failed;

  /** Whether a stream that is closed had a head from the peer. */
  private boolean heard;

  StreamTable(boolean server) {
    this.server = server;
    unnumbered = server ? List.of() : new ArrayList<>();
  }

  @Nullable SocketStream get(int id) {
    return open.get(id);
  }

  int active() {
    return open.size() + unnumbered.size();
  }

  /** Called once a second: gives back what streams that are gone have left. */
  @SuppressWarnings("ReferenceEquality") // which map, not what is in it
  void onTick() {
    if (open != NONE && open.isEmpty()) {
      open = NONE;
      most = 0;
    }
  }

  /** What the map takes on the heap beyond that of a few streams. */
  int heapBytes() {
    return most <= MAX_FEW ? 0 : most * BYTES_PER_STREAM;
  }

  /** The highest id that the peer opened. */
  int lastPeerId() {
    return lastPeerId;
  }

  /** How many there have been. */
  long started() {
    return started;
  }

  /** Whether there is a number left for one more local stream. */
  boolean hasLocalIds() {
    return nextLocalId > 0 && nextLocalId + 2L * unnumbered.size() <= Integer.MAX_VALUE;
  }

  /** Lets a test come to the end of the numbers. */
  void nextLocalId(int id) {
    nextLocalId = id;
  }

  void addUnnumbered(SocketStream stream) {
    unnumbered.add(stream);
  }

  /** Gives a local stream the next number. */
  void number(SocketStream stream) {
    unnumbered.remove(stream);
    stream.id(nextLocalId);
    add(stream);
    nextLocalId += 2; // turns negative after 2^31-1
  }

  /** The peer used {@code id}; it may or may not be added. */
  void onPeerId(int id) {
    lastPeerId = id;
  }

  @SuppressWarnings("ReferenceEquality") // which map, not what is in it
  void add(SocketStream stream) {
    if (open == NONE) {
      open = new IntObjectHashMap<>();
    }
    open.put(stream.id(), stream);
    most = Math.max(most, open.size());
    started++;
  }

  void remove(SocketStream stream, boolean byOurReset) {
    if (stream.id() == 0) {
      unnumbered.remove(stream);
    } else {
      open.remove(stream.id());
      count(stream);
      remember(stream.id(), byOurReset);
    }
  }

  /** As channelz has it: a call is whole once its response has ended, whatever its status. */
  private void count(SocketStream stream) {
    heard |= stream.hasHead();
    if (server ? stream.isSendEnded() : stream.isReceiveEnded()) {
      succeeded++;
    } else {
      failed++;
    }
  }

  /** Whether the peer has sent the head of a message on any stream. */
  boolean hasHead() {
    return heard || open.values().stream().anyMatch(SocketStream::hasHead);
  }

  /** The streams so far. */
  SocketView.Streams streams() {
    return new SocketView.Streams(started, succeeded, failed);
  }

  /** {@code id} is closed; {@code byOurReset}: the peer may not know. */
  void remember(int id, boolean byOurReset) {
    if (closedCount == closed.length && closed.length < REMEMBERED) {
      closed = Arrays.copyOf(closed, Math.max(FIRST_REMEMBERED, 2 * closed.length));
    }
    closed[closedCount++ % closed.length] = byOurReset ? -id : id;
  }

  /** Whether no side has used {@code id} yet. */
  boolean isIdle(int id) {
    boolean odd = (id & 1) == 1;
    if (server) {
      return !odd || id > lastPeerId;
    }
    return !odd || (nextLocalId > 0 && id >= nextLocalId);
  }

  /** Whether {@code id} was closed lately by our own reset. */
  boolean wasReset(int id) {
    return isRemembered(-id);
  }

  /**
   * Whether {@code id}, which is closed, was closed by our own reset as far as is remembered: its
   * peer may not have known of it when it sent DATA. One that was passed over never was.
   */
  boolean mayHaveBeenReset(int id) {
    boolean isAllKnown = closedCount <= REMEMBERED;
    return wasReset(id) || !(isAllKnown || wasClosed(id));
  }

  /**
   * Whether HEADERS of {@code id}, which is closed, are to be ignored since its peer may not have
   * known of our reset when it sent them. Those of a stream of ours may be late however many others
   * were reset since; a client could just as well have passed its stream over.
   */
  boolean mayBeLate(int id) {
    return wasReset(id) || (!server && !wasClosed(id));
  }

  /** Whether {@code id} was closed lately in the regular way, or by the peer's reset. */
  boolean wasClosed(int id) {
    return isRemembered(id);
  }

  private boolean isRemembered(int mark) {
    int filled = Math.min(closedCount, closed.length);
    for (int i = 0; i < filled; i++) {
      if (closed[i] == mark) {
        return true;
      }
    }
    return false;
  }

  /** All streams, as they are now; not to be changed. */
  List<SocketStream> snapshot() {
    if (active() == 0) {
      return List.of(); // most connections, and they are asked often
    }
    List<SocketStream> all = new ArrayList<>(active());
    all.addAll(open.values());
    all.addAll(unnumbered);
    return all;
  }
}
