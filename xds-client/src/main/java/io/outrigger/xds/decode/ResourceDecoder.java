package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.Decoded.Invalid;
import io.outrigger.xds.decode.Decoded.Valid;
import io.outrigger.xds.decode.ResponseRoom.TooLarge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Decodes the resources of one response; collects all errors of each invalid resource (A46). */
public final class ResourceDecoder {
  static final String WRAPPER = "envoy.service.discovery.v3.Resource";

  /** The protobuf tag of a resource's name, which is a string with the field number 1. */
  private static final int NAME_TAG = (1 << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  /** The number of unnamed resources whose errors are described; a NACK has no room for more. */
  private static final int MAX_UNNAMED = 1000;

  /** The paths to messages that are cut away before a resource is parsed. */
  private static final Map<ResourceType<?>, int[]> UNPARSED =
      Map.of(
          ResourceType.ROUTE, RouteMaps.METADATA, ResourceType.ENDPOINT, EndpointDecoder.METADATA);

  private record Codec<M>(Syntax<M> syntax, Function<M, String> name, Rules<M> rules) {}

  private interface Syntax<M> {
    M parse(ByteString bytes) throws InvalidProtocolBufferException;
  }

  private interface Rules<M> {
    /** Adds an error whenever the result is empty. */
    Optional<?> decode(M message, ByteString bytes, DecodeContext context, FieldErrors errors)
        throws InvalidProtocolBufferException;
  }

  private static final Map<ResourceType<?>, Codec<?>> CODECS =
      Map.of(
          ResourceType.LISTENER,
          new Codec<>(Listener::parseFrom, Listener::getName, ListenerDecoder::decode),
          ResourceType.ROUTE,
          new Codec<>(
              bytes -> RouteConfiguration.parseFrom(RouteMaps.withoutMetadata(bytes)),
              RouteConfiguration::getName,
              RouteDecoder::decode),
          ResourceType.CLUSTER,
          new Codec<>(
              bytes -> Cluster.parseFrom(ClusterDecoder.withoutMaps(bytes)),
              Cluster::getName,
              OverlayDecoder::cluster),
          ResourceType.ENDPOINT,
          new Codec<>(
              EndpointDecoder.Parts::parse,
              EndpointDecoder.Parts::name,
              (parts, bytes, context, errors) -> EndpointDecoder.decode(parts, context, errors)));

  private ResourceDecoder() {}

  /** Initializes protobuf's classes, so that the first resources are decoded sooner. */
  public static void prepare() {
    var unused = Any.getDefaultInstance(); // loading this class has initialized the resource types
  }

  /**
   * Decodes {@code resources}, each of which may be inside the wrapper {@code Resource} (A30).
   *
   * <p>If two resources have the same name, the last resource is used (A46-04). A resource with an
   * unreadable name is reported by its index, from 0. No resource makes this method throw.
   */
  public static <T> Decoded<T> decode(
      ResourceType<T> type, List<Any> resources, DecodeContext context) {
    Codec<?> codec = Optional.<Codec<?>>ofNullable(CODECS.get(type)).orElseThrow();
    var response = new Response<>(type, context);
    for (int i = 0; i < resources.size(); i++) {
      response.add(resources.get(i), i, codec);
    }
    return new Decoded<>(response.valid, response.invalid, response.unnamed, context.overlay());
  }

  /** Returns the name in a resource, the field 1 in all types; empty if it is unreadable. */
  public static Optional<String> nameOf(ByteString bytes) {
    String name = "";
    try {
      CodedInputStream in = bytes.newCodedInput();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == NAME_TAG) {
          name = in.readStringRequireUtf8();
        } else {
          in.skipField(tag);
        }
      }
    } catch (IOException unreadable) {
      return Optional.empty();
    }
    return Optional.of(name).filter(text -> !text.isEmpty());
  }

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

    <M> void add(Any any, int index, Codec<M> codec) {
      Any inner = any;
      String wrapperName = "";
      try {
        if (TypedConfig.typeName(any.getTypeUrl()).equals(WRAPPER)) {
          inner = Any.getDefaultInstance();
          ResponseRoom.require(any.getValue());
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
        ResponseRoom.require(inner.getValue(), UNPARSED.getOrDefault(type, new int[0]));
        M message = codec.syntax().parse(inner.getValue());
        String name = codec.name().apply(message); // A30-03: the name of the inner resource counts
        if (name.isEmpty()) {
          refuse(wrapperName, index, "has no name", inner);
        } else {
          decode(name, message, codec, inner);
        }
      } catch (TooLarge e) {
        String name = nameOf(inner.getValue()).orElse(wrapperName);
        refuse(name, index, String.valueOf(e.getMessage()), inner);
      } catch (InvalidProtocolBufferException e) {
        refuse(wrapperName, index, "is not readable: " + e.getMessage(), inner);
      }
    }

    private <M> void decode(String name, M message, Codec<M> codec, Any inner)
        throws InvalidProtocolBufferException {
      FieldErrors errors = FieldErrors.ofResource();
      RawResource raw = raw(inner);
      Optional<?> value = codec.rules().decode(message, inner.getValue(), context, errors);
      forget(name);
      if (errors.isEmpty()) {
        T decoded = type.valueType().cast(value.orElseThrow());
        if (decoded instanceof EndpointSet set) {
          context.recent().add(set, raw);
        }
        valid.put(name, new Valid<>(decoded, raw, errors.ignored()));
      } else {
        invalid.put(name, new Invalid(errors.all(), raw));
      }
    }

    /** Adds an error for a resource that was not decoded; an unreadable name is passed as empty. */
    private void refuse(String name, int index, String reason, Any inner) {
      if (name.isEmpty()) {
        unnamed.add(unnamed.size() < MAX_UNNAMED ? "resource #" + index + ": " + reason : "…");
      } else {
        forget(name);
        invalid.put(name, Invalid.of(raw(inner), reason));
      }
    }

    private void forget(String name) {
      valid.remove(name);
      invalid.remove(name);
    }

    private static RawResource raw(Any any) {
      return RawResource.held(any.getTypeUrl(), any.getValue().toByteArray());
    }
  }
}
