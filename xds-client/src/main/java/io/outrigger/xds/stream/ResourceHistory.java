package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.cache.CacheState;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;

/** The last changes of one resource, and its refusals since it was first watched. */
@ControlConfined
final class ResourceHistory {
  private static final int KEPT = 20;

  private final KeptBodies bodies;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>(2);
  private long nacks;
  private Optional<Instant> firstNack = Optional.empty();
  private Optional<Instant> lastNack = Optional.empty();

  ResourceHistory(KeptBodies bodies) {
    this.bodies = bodies;
  }

  /** Remembers a transition, unless it repeats what is the case already. */
  void onTransition(CacheEntry<?> before, CacheEntry<?> after) {
    boolean isNew =
        !after.dataError().equals(before.dataError())
            || !after.held().map(Held::raw).equals(before.held().map(Held::raw));
    if (!isNew) {
      return;
    }
    Optional<DataError> error = after.dataError();
    if (after.state() == CacheState.NACKED && error.isPresent()) {
      nacks++;
      lastNack = Optional.of(error.get().at());
      firstNack = firstNack.or(() -> lastNack);
    }
    Optional<RawResource> body =
        error.isPresent() ? error.get().refused() : after.held().map(Held::raw);
    var entry =
        new Entry(
            error.map(DataError::at).or(() -> after.held().map(Held::at)).orElse(Instant.EPOCH),
            after.state().label(),
            error.map(DataError::version).or(() -> after.held().map(Held::version)).orElse(""),
            error.map(DataError::status).map(RpcStatus::message).orElse(""),
            body);
    if (!entries.isEmpty() && entries.getLast().repeats(entry)) {
      return; // a control plane that insists would push out all else
    }
    entries.add(entry);
    bodies.add(entry);
    if (entries.size() > KEPT) {
      bodies.remove(entries.remove());
    }
  }

  /** The resource is watched no more. */
  void forget() {
    entries.forEach(bodies::remove);
    entries.clear();
  }

  XdsStatusView.History view() {
    return new XdsStatusView.History(
        entries.stream().map(Entry::view).toList(), nacks, firstNack, lastNack);
  }

  /** One change; its body may be let go. */
  @ControlConfined
  static final class Entry {
    private final Instant at;
    private final String state;
    private final String version;
    private final String details;
    private final long bodyBytes;
    private Optional<RawResource> body;

    Entry(Instant at, String state, String version, String details, Optional<RawResource> body) {
      this.at = at;
      this.state = state;
      this.version = version;
      this.details = details;
      this.bodyBytes = body.map(raw -> (long) raw.bytes().length).orElse(0L);
      this.body = body;
    }

    long bodyBytes() {
      return bodyBytes;
    }

    void dropBody() {
      body = Optional.empty();
    }

    private boolean repeats(Entry next) {
      return state.equals(next.state)
          && version.equals(next.version)
          && details.equals(next.details)
          && body.equals(next.body);
    }

    XdsStatusView.Change view() {
      return new XdsStatusView.Change(at, state, version, details, body);
    }
  }
}
