package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.ResourceType;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** All resources of a local source at one moment, by type and name. */
public record ResourceSnapshot(Map<ResourceType<?>, OfType> types) {
  static final ResourceSnapshot EMPTY = of(Map.of(), Map.of());

  public ResourceSnapshot {
    types = Map.copyOf(types);
  }

  /**
   * The resources of one type.
   *
   * @param version a hash of all names, contents and errors of this type
   * @param resources the resources by name, in the order of names
   * @param errors the errors by resource name; a resource with an error may also be in {@code
   *     resources}
   */
  public record OfType(String version, Map<String, Any> resources, Map<String, RpcStatus> errors) {
    public OfType {
      resources = Collections.unmodifiableMap(new TreeMap<>(resources));
      errors = Collections.unmodifiableMap(new TreeMap<>(errors));
    }

    static OfType of(Map<String, Any> resources, Map<String, RpcStatus> errors) {
      return new OfType(hash(new TreeMap<>(resources), new TreeMap<>(errors)), resources, errors);
    }
  }

  public static ResourceSnapshot of(
      Map<ResourceType<?>, Map<String, Any>> resources,
      Map<ResourceType<?>, Map<String, RpcStatus>> errors) {
    Map<ResourceType<?>, OfType> types = new HashMap<>();
    for (ResourceType<?> type : ResourceType.ALL) {
      Map<String, RpcStatus> failed = errors.getOrDefault(type, Map.of());
      types.put(type, OfType.of(resources.getOrDefault(type, Map.of()), failed));
    }
    return new ResourceSnapshot(types);
  }

  public ResourceSnapshot with(
      ResourceType<?> type, Map<String, Any> resources, Map<String, RpcStatus> errors) {
    Map<ResourceType<?>, OfType> changed = new HashMap<>(types);
    changed.put(type, OfType.of(resources, errors));
    return new ResourceSnapshot(changed);
  }

  OfType ofType(ResourceType<?> type) {
    OfType found = types.get(type);
    return found == null ? new OfType("", Map.of(), Map.of()) : found;
  }

  public boolean sameAs(ResourceSnapshot other) {
    return ResourceType.ALL.stream()
        .allMatch(type -> ofType(type).version().equals(other.ofType(type).version()));
  }

  int size() {
    return types.values().stream().mapToInt(type -> type.resources().size()).sum();
  }

  /** Returns a hash that also changes when two names exchange their values. */
  private static String hash(SortedMap<String, Any> sorted, SortedMap<String, RpcStatus> errors) {
    long hash = 0;
    for (var resource : sorted.entrySet()) {
      hash = Xxh64.hash(hash ^ Xxh64.hash(resource.getKey()));
      hash = Xxh64.hash(hash ^ Xxh64.hash(resource.getValue().getValue().toByteArray()));
    }
    for (var error : errors.entrySet()) {
      hash = Xxh64.hash(hash ^ Xxh64.hash(error.getKey() + " " + error.getValue()));
    }
    return HexFormat.of().toHexDigits(hash);
  }
}
