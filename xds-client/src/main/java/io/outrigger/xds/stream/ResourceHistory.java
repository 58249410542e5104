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
import java.util.Objects;
import java.util.Optional;

/** The last changes of one resource, and its rejections since it was first watched. */
@ControlConfined
final class ResourceHistory {
  private static final int MAX_ENTRIES = 20;

  private final HistoryBudget budget;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>(2);
  private long nacks;
  private Optional<Instant> firstNack = Optional.empty();
  private Optional<Instant> lastNack = Optional.empty();

  ResourceHistory(HistoryBudget budget) {
    this.budget = budget;
  }

  /** Records a transition, unless the state stays the same. */
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
      return; // repeated rejections would push out other changes
    }
    entries.add(entry);
    budget.add(entry);
    if (entries.size() > MAX_ENTRIES) {
      budget.remove(entries.remove());
    }
  }

  /** Removes all entries, because the resource is no longer watched. */
  void forget() {
    entries.forEach(budget::remove);
    entries.clear();
  }

  XdsStatusView.History view() {
    return new XdsStatusView.History(
        entries.stream().map(Entry::view).toList(), nacks, firstNack, lastNack);
  }

  /** One change; its body and its texts may be evicted. */
  @ControlConfined
  static final class Entry {
    private static final int MAX_VERSION = 64; // after eviction
    private static final String EVICTED = "too long ago, no longer kept";

    private final Instant at;
    private final String state;
    private final int content; // hash of the parts that may be evicted
    private final long size;
    private String version;
    private String details;
    private Optional<RawResource> body;

    Entry(Instant at, String state, String version, String details, Optional<RawResource> body) {
      this.at = at;
      this.state = state;
      this.content = Objects.hash(version, details, body);
      this.size =
          (long) version.length()
              + details.length()
              + body.map(raw -> raw.bytes().length).orElse(0);
      this.version = version;
      this.details = details;
      this.body = body;
    }

    /** Returns the approximate number of bytes that {@link #shorten} frees. */
    long size() {
      return size;
    }

    /** Evicts the parts that may be large. */
    void shorten() {
      version = version.length() <= MAX_VERSION ? version : version.substring(0, MAX_VERSION) + "…";
      details = details.isEmpty() ? "" : EVICTED;
      body = Optional.empty();
    }

    private boolean repeats(Entry next) {
      return state.equals(next.state) && content == next.content;
    }

    XdsStatusView.Change view() {
      return new XdsStatusView.Change(at, state, version, details, body);
    }
  }
}
