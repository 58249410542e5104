package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.status.XdsStatusView;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * The last changes of one resource. The bodies of earlier versions are not kept; events have their
 * differences.
 */
@ControlConfined
final class ResourceHistory {
  private static final int MAX_ENTRIES = 20;

  /** Limits the text of an error, of which each resource may have {@link #MAX_ENTRIES}. */
  private static final int MAX_DETAILS = 500;

  private final ArrayDeque<XdsStatusView.Change> entries = new ArrayDeque<>(2);

  void onTransition(CacheEntry<?> before, CacheEntry<?> after) {
    boolean isNew =
        !after.dataError().equals(before.dataError())
            || !after.held().map(Held::raw).equals(before.held().map(Held::raw));
    if (!isNew) {
      return;
    }
    Optional<DataError> error = after.dataError();
    var entry =
        new XdsStatusView.Change(
            error.map(DataError::at).or(() -> after.held().map(Held::at)).orElse(Instant.EPOCH),
            after.state().label(),
            shortened(
                error.map(DataError::version).or(() -> after.held().map(Held::version)).orElse(""),
                AdsObserver.Response.MAX_VERSION),
            shortened(
                error.map(DataError::status).map(RpcStatus::message).orElse(""), MAX_DETAILS));
    if (error.isPresent() && !entries.isEmpty() && repeats(entries.getLast(), entry)) {
      return; // repeated rejections would push out other changes
    }
    entries.add(entry);
    if (entries.size() > MAX_ENTRIES) {
      entries.remove();
    }
  }

  private static boolean repeats(XdsStatusView.Change last, XdsStatusView.Change next) {
    return last.state().equals(next.state())
        && last.version().equals(next.version())
        && last.details().equals(next.details());
  }

  static String shortened(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max) + "…";
  }

  List<XdsStatusView.Change> changes() {
    return List.copyOf(entries);
  }
}
