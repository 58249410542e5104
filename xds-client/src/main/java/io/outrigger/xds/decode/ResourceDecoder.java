package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.Decoded.Invalid;
import io.outrigger.xds.decode.Decoded.Valid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Turns the resources of one response into records, and says of each that it refuses every reason
 * (A46). One bad resource never spoils another.
 */
public final class ResourceDecoder {
  private static final String WRAPPER = "envoy.service.discovery.v3.Resource";

  /** How one type is read. */
  private record Codec<M extends Message>(
      Parser<M> parser,
      UnaryOperator<ByteString> withoutMaps,
      Function<M, String> name,
      Rules<M> rules) {
    M parse(ByteString bytes) throws InvalidProtocolBufferException {
      return parser.parseFrom(withoutMaps.apply(bytes));
    }
  }

  /**
   * The validation of one type; empty only with something in {@code errors}. The bytes are those of
   * the message, as they came.
   */
  private interface Rules<M> {
    Optional<?> decode(M message, ByteString bytes, DecodeContext context, FieldErrors errors);
  }

  private static final Map<ResourceType<?>, Codec<?>> CODECS =
      Map.of(
          ResourceType.LISTENER,
          new Codec<>(
              Listener.parser(),
              UnaryOperator.identity(),
              Listener::getName,
              ListenerDecoder::decode),
          ResourceType.ROUTE,
          new Codec<>(
              RouteConfiguration.parser(),
              RouteMaps::cutFrom,
              RouteConfiguration::getName,
              RouteDecoder::decode),
          ResourceType.CLUSTER,
          new Codec<>(
              Cluster.parser(),
              ClusterDecoder::withoutMaps,
              Cluster::getName,
              ClusterOverlay::decode),
          ResourceType.ENDPOINT,
          new Codec<>(
              ClusterLoadAssignment.parser(),
              EndpointDecoder::withoutMaps,
              ClusterLoadAssignment::getClusterName,
              EndpointDecoder::decode));

  private ResourceDecoder() {}

  /**
   * Has protobuf do what it does for the first message of each type: compare versions, look for
   * Android. That takes some time and depends on no input.
   */
  public static void prepare() {
    var unused = Any.getDefaultInstance(); // the types were with this class
  }

  /**
   * Decodes {@code resources}, which may come in the wrapper {@code Resource} (A30).
   *
   * <p>Of two resources with one name the last counts (A46-04). A resource whose name cannot be
   * read is reported by its place in the list, counted from 0. Never throws because of what the
   * resources hold.
   */
  public static <T> Decoded<T> decode(
      ResourceType<T> type, List<Any> resources, DecodeContext context) {
    Codec<?> codec = CODECS.get(type);
    if (codec == null) {
      throw new IllegalArgumentException("no decoder for " + type);
    }
    var response = new Response<>(type, context);
    for (int i = 0; i < resources.size(); i++) {
      response.add(resources.get(i), i, codec);
    }
    return new Decoded<>(response.valid, response.invalid, response.unnamed, context.overlay());
  }

  /** What has come of the response so far. */
  private static final class Response<T> {
    final Map<String, Valid<T>> valid = new LinkedHashMap<>();
    final Map<String, Invalid> invalid = new LinkedHashMap<>();
    final List<String> unnamed = new ArrayList<>();

    private final ResourceType<T> type;
    private final DecodeContext context;

    Response(ResourceType<T> type, DecodeContext context) {
      this.type = type;
      this.context = context;
    }

    <M extends Message> void add(Any any, int index, Codec<M> codec) {
      Any inner = any;
      String wrapperName = "";
      try {
        if (TypedConfig.typeName(any.getTypeUrl()).equals(WRAPPER)) {
          Resource wrapper = Resource.parseFrom(any.getValue());
          wrapperName = wrapper.getName();
          inner = wrapper.getResource();
        }
        if (!inner.getTypeUrl().equals(type.typeUrl())) {
          refuse(
              wrapperName,
              index,
              "is of type " + quoted(inner.getTypeUrl()) + ", not " + type.typeUrl(),
              inner);
          return;
        }
        M message = codec.parse(inner.getValue());
        String name = codec.name().apply(message); // A30-03: the inner one
        if (name.isEmpty()) {
          refuse(wrapperName, index, "has no name", inner);
        } else {
          decode(name, message, codec, inner);
        }
      } catch (InvalidProtocolBufferException e) {
        refuse(wrapperName, index, "is not readable: " + e.getMessage(), inner);
      }
    }

    private <M extends Message> void decode(String name, M message, Codec<M> codec, Any inner) {
      FieldErrors errors = FieldErrors.ofResource();
      Optional<?> value = codec.rules().decode(message, inner.getValue(), context, errors);
      RawResource raw = raw(inner);
      forget(name);
      if (errors.isEmpty()) {
        T decoded = type.valueType().cast(value.orElseThrow());
        valid.put(name, new Valid<>(decoded, raw, errors.ignored()));
      } else {
        invalid.put(name, new Invalid(errors.all(), raw));
      }
    }

    /** The wrapper's name serves where the resource itself tells none. */
    private void refuse(String wrapperName, int index, String reason, Any inner) {
      if (wrapperName.isEmpty()) {
        unnamed.add("resource #" + index + ": " + reason);
      } else {
        forget(wrapperName);
        invalid.put(wrapperName, Invalid.of(raw(inner), reason));
      }
    }

    private void forget(String name) {
      valid.remove(name);
      invalid.remove(name);
    }

    private static RawResource raw(Any any) {
      return new RawResource(any.getTypeUrl(), any.getValue().toByteArray());
    }
  }
}
