package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.xds.RawResource;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the last decoded endpoints of each large cluster. An endpoint whose bytes have not
 * changed stays the same object, so that the control loop can compare ten thousand endpoints by
 * identity. Endpoints behind a proxy are always decoded again. If an endpoint has no port, all
 * endpoints of the cluster are decoded again. The references are weak: a set of endpoints is
 * remembered only while it is in use elsewhere.
 */
@AnyThread
public final class RecentEndpoints {
  private static final int LARGE = 2_048; // bytes; 60 to 100 endpoints without metadata

  private record Recent(WeakReference<EndpointSet> set, WeakReference<RawResource> raw) {}

  /** A set of endpoints, and the bytes from which it was decoded. */
  record Known(EndpointSet set, ByteString bytes) {}

  private final Map<String, Recent> sets = new ConcurrentHashMap<>();

  Optional<Known> find(String name) {
    Recent recent = sets.get(name);
    EndpointSet set = recent == null ? null : recent.set().get();
    RawResource raw = recent == null ? null : recent.raw().get();
    return set == null || raw == null
        ? Optional.empty()
        : Optional.of(new Known(set, UnsafeByteOperations.unsafeWrap(raw.bytes())));
  }

  void add(EndpointSet set, RawResource raw) {
    if (raw.bytes().length < LARGE) {
      return;
    }
    Recent before = sets.get(set.name());
    EndpointSet known = before == null ? null : before.set().get();
    EndpointSet used = set.equals(known) ? known : set; // of equal sets, the first stays in use
    sets.put(set.name(), new Recent(new WeakReference<>(used), new WeakReference<>(raw)));
    if (before == null && Integer.bitCount(sets.size()) == 1) { // seldom, for each visits all
      sets.values().removeIf(each -> each.set().refersTo(null));
    }
  }

  int count() {
    return sets.size();
  }
}
