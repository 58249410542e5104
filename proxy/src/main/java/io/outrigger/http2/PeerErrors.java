package io.outrigger.http2;

import io.outrigger.base.AnyThread;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The errors of peers that the process has answered: connections that it ended, counted by side and
 * error code, and the last error in words, which names the rule that was broken.
 */
@AnyThread
public final class PeerErrors {
  /**
   * Connections that were ended.
   *
   * @param ofApp whether an app was the peer, not a backend
   */
  public record EndedCount(boolean ofApp, Http2Error error, long count) {}

  private record Kind(boolean ofApp, Http2Error error) {}

  private final Map<Kind, LongAdder> ended = new ConcurrentHashMap<>();
  private final LongAdder all = new LongAdder();
  private final AtomicReference<@Nullable String> last = new AtomicReference<>();

  /** A connection was ended for {@code error}; nothing when that is none. */
  public void onConnectionEnded(boolean ofApp, Http2Error error, Object peer, String reason) {
    if (error != Http2Error.NO_ERROR) {
      ended.computeIfAbsent(new Kind(ofApp, error), kind -> new LongAdder()).increment();
      add("connection of " + (ofApp ? "app " : "backend ") + peer + " ended: " + reason);
    }
  }

  /** A request was refused because it breaks a rule of HTTP/2. */
  public void onRequestRefused(Object peer, String reason) {
    add("request of app " + peer + " refused: " + reason);
  }

  private void add(String text) {
    last.set(text);
    all.increment();
  }

  /** All errors so far. */
  public long count() {
    return all.sum();
  }

  /** The last error since this was called before; empty when there was none. */
  public Optional<String> takeLast() {
    return Optional.ofNullable(last.getAndSet(null));
  }

  /** The connections that were ended so far, in a fixed order. */
  public List<EndedCount> ended() {
    return ended.entrySet().stream()
        .map(
            each ->
                new EndedCount(each.getKey().ofApp(), each.getKey().error(), each.getValue().sum()))
        .sorted(Comparator.comparing(EndedCount::ofApp).thenComparing(EndedCount::error))
        .toList();
  }
}
