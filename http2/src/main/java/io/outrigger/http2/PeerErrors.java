package io.outrigger.http2;

import io.netty.util.NetUtil;
import io.outrigger.base.AnyThread;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Records errors of peers. Counts the connections that were ended with an error code, separately
 * for each kind of peer ({@link Side}) and each error code. Keeps the text of the last error, which
 * names the broken rule.
 */
@AnyThread
public final class PeerErrors {
  /** The kind of peer at the other end of a connection. */
  public enum Side {
    /** A local app that calls through this proxy. */
    APP,
    /** A program that connects to an address that this proxy serves. */
    CALLER,
    BACKEND;

    /** Returns the lower-case name, which messages and metrics contain. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public record EndedCount(Side side, Http2Error error, long count) {}

  private final Map<Side, Map<Http2Error, LongAdder>> ended = new ConcurrentHashMap<>();
  private final LongAdder all = new LongAdder();
  private final AtomicReference<@Nullable String> last = new AtomicReference<>();

  public PeerErrors() {
    for (Side side : Side.values()) { // an alert needs a counter that starts at 0
      counter(side, Http2Error.ENHANCE_YOUR_CALM).reset();
    }
  }

  /** Records that a connection was ended with an error code; does nothing for NO_ERROR. */
  public void onConnectionEnded(Side side, Http2Error error, Object peer, String reason) {
    if (error != Http2Error.NO_ERROR) {
      counter(side, error).increment();
      add("connection of " + side.word() + " " + text(peer) + " ended: " + reason);
    }
  }

  private LongAdder counter(Side side, Http2Error error) {
    return ended
        .computeIfAbsent(side, first -> new ConcurrentHashMap<>())
        .computeIfAbsent(error, first -> new LongAdder());
  }

  /** Records that a request was refused because it breaks a rule of HTTP/2. */
  public void onRequestRefused(Side side, Object peer, String reason) {
    add("request of " + side.word() + " " + text(peer) + " refused: " + reason);
  }

  /** Records that a caller's connection was refused before HTTP/2 began. */
  public void onHandshakeFailed(Object peer, String reason) {
    add("connection of caller " + text(peer) + " refused: " + reason);
  }

  /**
   * Returns a text for an address, such as {@code 127.0.0.1:9001}. If {@code peer} is null, the
   * text says that the socket is closed.
   */
  public static String text(@Nullable Object peer) {
    if (peer == null) {
      return "a closed socket";
    }
    return peer instanceof InetSocketAddress tcp
        ? NetUtil.toSocketAddressString(tcp)
        : peer.toString();
  }

  private void add(String text) {
    last.set(text);
    all.increment();
  }

  public long count() {
    return all.sum();
  }

  /** Returns the last error, unless an earlier call has already returned it; otherwise empty. */
  public Optional<String> takeLast() {
    return Optional.ofNullable(last.getAndSet(null));
  }

  public List<EndedCount> ended() {
    List<EndedCount> counts = new ArrayList<>();
    ended.forEach(
        (side, errors) ->
            errors.forEach((error, count) -> counts.add(new EndedCount(side, error, count.sum()))));
    counts.sort(Comparator.comparing(EndedCount::side).thenComparing(EndedCount::error));
    return counts;
  }
}
