package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.Decoded.Valid;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decodes the responses of one server. A state-of-the-world response repeats every resource when
 * one resource changes. The decoder skips each resource whose bytes equal the bytes of the resource
 * in use.
 */
@AnyThread
final class IncrementalDecoder {
  private final ResponseDecoder decoder;
  private final RecentEndpoints endpoints = new RecentEndpoints();

  IncrementalDecoder(ResponseDecoder decoder) {
    this.decoder = decoder;
  }

  record InUse<T>(String name, Held<T> held) {}

  /** The result equals the result of a full decoding, except for the order of names. */
  <T> Decoded<T> decode(
      ResourceType<T> type, List<Any> resources, List<InUse<T>> known, DecodeContext context) {
    Map<RawResource, InUse<T>> byBytes = new HashMap<>();
    known.forEach(inUse -> byBytes.put(inUse.held().raw(), inUse));
    Map<String, Valid<T>> valid = new LinkedHashMap<>();
    List<Any> others = new ArrayList<>();
    for (Any resource : resources) {
      InUse<T> same = byBytes.isEmpty() ? null : byBytes.get(rawOf(resource));
      if (same == null) {
        others.add(resource);
      } else {
        valid.put(same.name(), new Valid<>(same.held().value(), same.held().raw()));
      }
    }
    Decoded<T> decoded = decodeAll(type, others, context);
    if (valid.isEmpty()) {
      return decoded;
    }
    boolean orderMatters = // for positions in messages and for duplicate names
        !decoded.unnamed().isEmpty()
            || !Collections.disjoint(valid.keySet(), decoded.valid().keySet())
            || !Collections.disjoint(valid.keySet(), decoded.invalid().keySet());
    if (orderMatters) {
      return decodeAll(type, resources, context);
    }
    valid.putAll(decoded.valid());
    return new Decoded<>(valid, decoded.invalid(), decoded.unnamed(), decoded.overlay());
  }

  private <T> Decoded<T> decodeAll(
      ResourceType<T> type, List<Any> resources, DecodeContext context) {
    Decoded<T> decoded = decoder.decode(type, resources, context);
    if (!type.equals(ResourceType.ENDPOINT)) {
      return decoded;
    }
    Map<String, Valid<T>> valid = new LinkedHashMap<>();
    decoded.valid().forEach((name, each) -> valid.put(name, sharing(type, name, each)));
    return new Decoded<>(valid, decoded.invalid(), decoded.unnamed(), decoded.overlay());
  }

  private <T> Valid<T> sharing(ResourceType<T> type, String name, Valid<T> read) {
    return read.value() instanceof EndpointSet set
        ? new Valid<>(type.valueType().cast(endpoints.sharing(name, set)), read.raw())
        : read;
  }

  private static RawResource rawOf(Any resource) {
    return new RawResource(resource.getTypeUrl(), resource.getValue().toByteArray());
  }

  /**
   * Remembers the last decoded endpoints of each large cluster. If a part of a newly decoded set
   * equals a part of the last set, both become the same object. The control loop can thus compare
   * ten thousand endpoints by identity. The references to sets are weak: a set is remembered only
   * while it is in use elsewhere.
   */
  static final class RecentEndpoints {
    private static final int LARGE = 100; // smaller sets are cheap to compare

    private final Map<String, WeakReference<EndpointSet>> sets = new ConcurrentHashMap<>();

    @SuppressWarnings("ReferenceEquality") // an equal set is replaced by the same instance
    EndpointSet sharing(String name, EndpointSet next) {
      if (!isLarge(next)) {
        return next;
      }
      WeakReference<EndpointSet> known = sets.get(name);
      EndpointSet before = known == null ? null : known.get();
      EndpointSet shared = before == null ? next : next.sharing(before);
      if (known == null) {
        sets.values().removeIf(set -> set.refersTo(null));
      }
      if (shared != before) {
        sets.put(name, new WeakReference<>(shared));
      }
      return shared;
    }

    int count() {
      return sets.size();
    }

    private static boolean isLarge(EndpointSet set) {
      int count = 0;
      for (List<LocalityEndpoints> priority : set.priorities()) {
        for (LocalityEndpoints locality : priority) {
          count += locality.endpoints().size();
        }
      }
      return count >= LARGE;
    }
  }
}
