package io.outrigger.xds.testing;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.RouteTable;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.stream.ResponseDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Resources for tests that do not care what is in them: {@code name=content}, where content that
 * begins with {@code !} is refused with the comma-separated reasons that follow, and a text without
 * {@code =} has no readable name.
 */
public final class TextResources implements ResponseDecoder {
  private int decoded;
  private Optional<RuntimeException> failure = Optional.empty();

  /** A resource with some content. */
  public static Any resource(ResourceType<?> type, String name, String content) {
    return Any.newBuilder()
        .setTypeUrl(type.typeUrl())
        .setValue(ByteString.copyFromUtf8(name + "=" + content))
        .build();
  }

  /** A resource that is refused for {@code reasons}. */
  public static Any invalid(ResourceType<?> type, String name, String... reasons) {
    return resource(type, name, "!" + String.join(",", reasons));
  }

  /** A resource whose name cannot be read. */
  public static Any unreadable(ResourceType<?> type) {
    return Any.newBuilder()
        .setTypeUrl(type.typeUrl())
        .setValue(ByteString.copyFromUtf8("garbage"))
        .build();
  }

  /** The content of a decoded resource. */
  public static String content(Object value) {
    if (value instanceof ApiListener listener) {
      return ((RouteSource.Rds) listener.routes()).name();
    }
    if (value instanceof ClusterResource cluster) {
      return ((ClusterSource.Eds) cluster.source()).serviceName();
    }
    if (value instanceof RouteTable routes) {
      return routes.name();
    }
    return ((EndpointSet) value).name();
  }

  /** How many resources were decoded so far. */
  public int decodedCount() {
    return decoded;
  }

  /** The next response meets a bug. */
  public void failNext(RuntimeException bug) {
    failure = Optional.of(bug);
  }

  @Override
  public <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context) {
    if (failure.isPresent()) {
      RuntimeException bug = failure.get();
      failure = Optional.empty();
      throw bug;
    }
    Map<String, Decoded.Valid<T>> valid = new LinkedHashMap<>();
    Map<String, Decoded.Invalid> invalid = new LinkedHashMap<>();
    List<String> unnamed = new ArrayList<>();
    for (int index = 0; index < resources.size(); index++) {
      decoded++;
      Any resource = resources.get(index);
      var raw = new RawResource(resource.getTypeUrl(), resource.getValue().toByteArray());
      String text = resource.getValue().toStringUtf8();
      int end = text.lastIndexOf('='); // names may hold parameters
      if (end < 0) {
        unnamed.add("resource #" + index + ": not readable");
        continue;
      }
      String name = text.substring(0, end);
      String content = text.substring(end + 1);
      valid.remove(name);
      invalid.remove(name);
      if (content.startsWith("!")) {
        invalid.put(name, Decoded.Invalid.of(raw, content.substring(1).split(",", -1)));
      } else {
        valid.put(name, new Decoded.Valid<>(value(type, name, content), raw));
      }
    }
    return new Decoded<>(valid, invalid, unnamed);
  }

  private static <T> T value(ResourceType<T> type, String name, String content) {
    Object value =
        switch (type.label()) {
          case "lds" ->
              new ApiListener(name, new RouteSource.Rds(content), List.of(), Optional.empty());
          case "rds" -> new RouteTable(content, List.of());
          case "cds" ->
              new ClusterResource(
                  name,
                  new ClusterSource.Eds(content),
                  ClusterResource.DEFAULT_POLICY,
                  ClusterResource.Limits.DEFAULT,
                  Optional.empty(),
                  new ClusterResource.Sessions(ClusterResource.DEFAULT_IDLE_TIMEOUT, Set.of()));
          default -> new EndpointSet(content, List.of(), List.of());
        };
    return type.valueType().cast(value);
  }
}
