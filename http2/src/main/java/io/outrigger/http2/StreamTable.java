package io.outrigger.http2;

import io.netty.util.collection.IntObjectHashMap;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The open streams of one connection by id. A stream id without an open stream is idle, closed, or
 * closed by our reset. The last {@value #REMEMBERED} closed ids are remembered, because the peer
 * may not know yet that their streams are closed (RFC 9113 section 5.1).
 */
@LoopConfined
final class StreamTable {
  private static final int REMEMBERED = 512;
  private static final int FIRST_REMEMBERED = 16;

  /** The empty map, shared by all connections without streams; no stream is ever added to it. */
  private static final IntObjectHashMap<SocketStream> NONE = new IntObjectHashMap<>(1);

  private static final int[] NO_IDS = {};

  private final boolean server;
  private IntObjectHashMap<SocketStream> open = NONE;

  /** Streams that this side has opened and that get their id with their first header block. */
  private final List<SocketStream> unnumbered;

  /** A ring buffer of the ids that were closed last; an id closed by our reset is negative. */
  private int[] closed = NO_IDS;

  private int closedCount;
  private int lastPeerId;
  int nextLocalId = 1;
  private long started;
  private long succeeded;
  private long failed;

  /** Whether the peer has sent a head on any stream that is now closed. */
  private boolean closedStreamHadHead;

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

  /** Called once a second; releases the map when no stream is open. */
  @SuppressWarnings("ReferenceEquality") // compares the identity of maps, not their content
  void onTick() {
    if (open != NONE && open.isEmpty()) {
      open = NONE;
    }
  }

  int lastPeerId() {
    return lastPeerId;
  }

  boolean hasLocalIds() {
    return nextLocalId > 0 && nextLocalId + 2L * unnumbered.size() <= Integer.MAX_VALUE;
  }

  void addUnnumbered(SocketStream stream) {
    unnumbered.add(stream);
  }

  void number(SocketStream stream) {
    unnumbered.remove(stream);
    stream.id(nextLocalId);
    add(stream);
    nextLocalId += 2; // turns negative after 2^31-1
  }

  /** Records that the peer has used a stream id, even for a stream that is refused. */
  void onPeerId(int id) {
    lastPeerId = id;
  }

  @SuppressWarnings("ReferenceEquality") // compares the identity of maps, not their content
  void add(SocketStream stream) {
    if (open == NONE) {
      open = new IntObjectHashMap<>();
    }
    open.put(stream.id(), stream);
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

  /** Counts a closed stream as channelz does: a stream has succeeded if its response has ended. */
  private void count(SocketStream stream) {
    closedStreamHadHead |= stream.hasHead();
    if (server ? stream.hasSentEnd() : stream.isReceiveEnded()) {
      succeeded++;
    } else {
      failed++;
    }
  }

  /** Whether the peer has sent the head of a message on any stream. */
  boolean hasHead() {
    return closedStreamHadHead || open.values().stream().anyMatch(SocketStream::hasHead);
  }

  SocketView.Streams streams() {
    return new SocketView.Streams(started, succeeded, failed);
  }

  /** Remembers that a stream id is closed, by our reset or otherwise. */
  void remember(int id, boolean byOurReset) {
    if (closedCount == closed.length && closed.length < REMEMBERED) {
      closed = Arrays.copyOf(closed, Math.max(FIRST_REMEMBERED, 2 * closed.length));
    }
    closed[closedCount++ % closed.length] = byOurReset ? -id : id;
  }

  /** Whether a stream id is idle, because neither side has used the id yet. */
  boolean isIdle(int id) {
    boolean odd = (id & 1) == 1;
    if (server) {
      return !odd || id > lastPeerId;
    }
    return !odd || (nextLocalId > 0 && id >= nextLocalId);
  }

  boolean wasReset(int id) {
    return isRemembered(-id);
  }

  /**
   * Whether this side has reset a stream. Also true if the stream's end is no longer remembered.
   * After a reset, DATA may arrive that the peer sent before it received the reset.
   */
  boolean mayHaveBeenReset(int id) {
    boolean isAllKnown = closedCount <= REMEMBERED;
    return wasReset(id) || !(isAllKnown || wasClosed(id));
  }

  /**
   * Whether HEADERS on a closed stream id are ignored: the peer may have sent the HEADERS before it
   * received our reset. A client also ignores HEADERS on a forgotten id: a response may arrive
   * after any number of later streams have closed. A server does not ignore HEADERS on a forgotten
   * id: a client must not use an id that it has skipped (RFC 9113 section 5.1.1).
   */
  boolean mayBeLate(int id) {
    return wasReset(id) || (!server && !wasClosed(id));
  }

  /** Whether a stream id is remembered as closed by END_STREAM or by the peer's reset. */
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

  /** Returns the sum of a property of all open streams. */
  long sum(ToLongFunction<SocketStream> property) {
    long sum = 0;
    for (SocketStream stream : open.values()) {
      sum += property.applyAsLong(stream);
    }
    for (SocketStream stream : unnumbered) {
      sum += property.applyAsLong(stream);
    }
    return sum;
  }

  /** A copy of the list of open streams; the caller must not change the copy. */
  List<SocketStream> snapshot() {
    if (active() == 0) {
      return List.of(); // saves a list: most connections have no stream
    }
    List<SocketStream> all = new ArrayList<>(active());
    all.addAll(open.values());
    all.addAll(unnumbered);
    return all;
  }
}
