package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.cache.CacheEntry.Held;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.decode.Decoded.Valid;
import io.outrigger.xds.decode.RecentEndpoints;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    Map<RawResource, InUse<T>> byBytes = new HashMap<>(2 * known.size());
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
    Decoded<T> decoded = decoder.decode(type, others, context.with(endpoints));
    if (valid.isEmpty()) {
      return decoded;
    }
    boolean orderMatters = // for positions in messages and for duplicate names
        !decoded.unnamed().isEmpty()
            || !Collections.disjoint(valid.keySet(), decoded.valid().keySet())
            || !Collections.disjoint(valid.keySet(), decoded.invalid().keySet());
    if (orderMatters) {
      return decoder.decode(type, resources, context.with(endpoints));
    }
    valid.putAll(decoded.valid());
    return new Decoded<>(valid, decoded.invalid(), decoded.unnamed(), decoded.overlay());
  }

  private static RawResource rawOf(Any resource) {
    return new RawResource(resource.getTypeUrl(), resource.getValue().toByteArray());
  }
}
