package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.EdsClusterConfig;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.SelfConfigSource;
import io.envoyproxy.envoy.config.route.v3.RetryPolicy;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import io.outrigger.xds.overlay.Merge;
import io.outrigger.xds.overlay.Patch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Reads the patch of an overlay rule: a partial message in proto3 JSON. */
public final class PatchReader {
  private static final Set<String> CLUSTER_FIELDS =
      Set.of(
          "outlier_detection",
          "circuit_breakers",
          "lb_policy",
          "ring_hash_lb_config",
          "least_request_lb_config",
          "round_robin_lb_config",
          "load_balancing_policy",
          "common_lb_config",
          "typed_extension_protocol_options");

  private static final Set<String> ROUTE_FIELDS =
      Set.of("timeout", "max_grpc_timeout", "max_stream_duration", "retry_policy", "hash_policy");

  /**
   * Maps the name of a message type, or of a list of messages, to the fields of the message that
   * have an effect (CONTRACT 11). If a message has no entry, all of its fields have an effect.
   */
  private static final Map<String, Set<String>> EFFECTIVE =
      Map.of(
          "OutlierDetection",
          Set.of(
              "interval",
              "base_ejection_time",
              "max_ejection_time",
              "max_ejection_percent",
              "success_rate_stdev_factor",
              "enforcing_success_rate",
              "success_rate_minimum_hosts",
              "success_rate_request_volume",
              "failure_percentage_threshold",
              "enforcing_failure_percentage",
              "failure_percentage_minimum_hosts",
              "failure_percentage_request_volume"),
          "thresholds",
          Set.of("priority", "max_requests"),
          "per_host_thresholds",
          Set.of("priority", "max_connections"),
          "RingHashLbConfig",
          Set.of("minimum_ring_size", "maximum_ring_size", "hash_function"),
          "LeastRequestLbConfig",
          Set.of("choice_count"),
          "RoundRobinLbConfig",
          Set.of(),
          "CommonLbConfig",
          Set.of("override_host_status"),
          "RetryPolicy",
          Set.of("retry_on", "num_retries", "retry_back_off"),
          "MaxStreamDuration",
          Set.of("max_stream_duration", "grpc_timeout_header_max"),
          "HttpProtocolOptions",
          Set.of("common_http_protocol_options", "idle_timeout"));

  private static final String PROTOCOL_OPTIONS = ClusterDecoder.HTTP_PROTOCOL_OPTIONS;

  private static final String TYPE = "@type";

  private static final String URL_PREFIX = "type.googleapis.com/";

  private static final DecodeContext CONTEXT = new DecodeContext(ServerFeatures.NONE, Map.of());
  private static final OverlayRule RULE = new OverlayRule("trial", "", 1, Mode.OVERRIDE);

  /** A valid cluster. Each patch of a cluster is checked by merging it into this cluster. */
  private static final Cluster CLUSTER =
      Cluster.newBuilder()
          .setName("trial")
          .setType(Cluster.DiscoveryType.EDS)
          .setEdsClusterConfig(
              EdsClusterConfig.newBuilder()
                  .setEdsConfig(
                      ConfigSource.newBuilder().setSelf(SelfConfigSource.getDefaultInstance())))
          .setRingHashLbConfig(
              Cluster.RingHashLbConfig.newBuilder().setMinimumRingSize(UInt64Value.of(1)))
          .build();

  /** A valid route action. Each patch of a route is checked by merging it into this action. */
  private static final RouteAction ROUTE =
      RouteAction.newBuilder()
          .setCluster("trial")
          .setRetryPolicy(
              RetryPolicy.newBuilder()
                  .setRetryBackOff(
                      RetryPolicy.RetryBackOff.newBuilder()
                          .setBaseInterval(
                              com.google.protobuf.Duration.newBuilder().setNanos(1_000_000))))
          .build();

  private PatchReader() {}

  /**
   * @param errors the errors, with paths inside the patch
   * @param warnings a warning for each valid field that has no effect
   */
  public record Result(Patch patch, List<FieldError> errors, List<FieldError> warnings) {}

  /**
   * @param ruleFields the names of fields that exist only in overlay rules; the reader skips them
   */
  public static Result cluster(JsonObject patch, Set<String> ruleFields) {
    return read(
        patch,
        CLUSTER,
        CLUSTER_FIELDS,
        ruleFields,
        (message, errors) ->
            ClusterDecoder.decode((Cluster) message, message.toByteString(), CONTEXT, errors));
  }

  public static Result route(JsonObject patch) {
    var scope = new RouteDecoder.Scope(CONTEXT, false, Set.of(), List.of());
    return read(
        patch,
        ROUTE,
        ROUTE_FIELDS,
        Set.of(),
        (message, errors) ->
            RouteActionDecoder.decode((RouteAction) message, Optional.empty(), scope, errors));
  }

  private static Result read(
      JsonObject patch,
      Message base,
      Set<String> allowed,
      Set<String> ruleFields,
      BiFunction<Message, FieldErrors, Optional<?>> decoder) {
    Descriptor type = base.getDescriptorForType();
    FieldErrors errors = FieldErrors.ofResource();
    var kept = new JsonObject();
    patch
        .asMap()
        .forEach(
            (name, value) -> {
              Optional<FieldDescriptor> field = JsonDiagnosis.find(type, name);
              if (field.isPresent() && !allowed.contains(field.get().getName())) {
                errors.at(name).add(refusal(allowed, ruleFields));
              } else if (field.isPresent() && field.get().isMapField() && !value.isJsonNull()) {
                options(value, errors.at(name)).ifPresent(options -> kept.add(name, options));
              } else if (!ruleFields.contains(name)) {
                kept.add(name, value);
              }
            });
    int before = errors.count();
    JsonDiagnosis.message(UnreadTypes.wrapped(kept), type, errors);
    Patch read =
        errors.count() > before
            ? Patch.NOTHING
            : new Patch(fields(kept, base.newBuilderForType(), errors));
    var merge = new Merge(base);
    merge.apply(RULE, read);
    FieldErrors inMerged = FieldErrors.ofResource();
    var unused = decoder.apply(merge.message(), inMerged);
    return new Result(
        read,
        Stream.concat(errors.all().stream(), inMerged.all().stream()).toList(),
        errors.ignored());
  }

  private static String refusal(Set<String> allowed, Set<String> ruleFields) {
    List<String> all = new ArrayList<>(allowed);
    all.addAll(ruleFields);
    return "may not be patched: an overlay changes neither where calls go nor how they are"
        + " secured; it may set "
        + String.join(", ", all.stream().sorted().toList());
  }

  /** Reads the fields of a message in which {@link JsonDiagnosis} has found no error. */
  private static List<Patch.Field> fields(
      JsonObject tree, Message.Builder into, FieldErrors errors) {
    Descriptor type = into.getDescriptorForType();
    List<Patch.Field> fields = new ArrayList<>();
    tree.asMap()
        .forEach(
            (name, value) ->
                JsonDiagnosis.find(type, name)
                    .ifPresent(
                        field -> {
                          warnOfNoEffect(field, type.getName(), errors.at(name));
                          field(value, field, into, name, errors).ifPresent(fields::add);
                        }));
    return fields;
  }

  private static Optional<Patch.Field> field(
      JsonElement value,
      FieldDescriptor field,
      Message.Builder into,
      String name,
      FieldErrors errors) {
    if (value.isJsonNull()) {
      return Optional.of(new Patch.Whole(field, null, "null"));
    }
    if (field.isMapField() && into instanceof Cluster.Builder && value instanceof JsonObject map) {
      return Optional.of(
          new Patch.Packed(
              field,
              PROTOCOL_OPTIONS,
              fields(
                  map.getAsJsonObject(PROTOCOL_OPTIONS),
                  HttpProtocolOptions.newBuilder(),
                  errors.at(name, PROTOCOL_OPTIONS))));
    }
    if (isNested(field) && value instanceof JsonObject tree) {
      return Optional.of(
          new Patch.Within(field, fields(tree, into.newBuilderForField(field), errors.at(name))));
    }
    if (EFFECTIVE.containsKey(field.getName()) && value instanceof JsonArray list) {
      warnOfNoEffect(list, field, name, errors);
    }
    var alone = new JsonObject();
    alone.add(field.getName(), value);
    Message.Builder read = into.getDefaultInstanceForType().newBuilderForType();
    return JsonDiagnosis.parse(UnreadTypes.wrapped(alone), read, errors.at(name))
        ? Optional.of(new Patch.Whole(field, read.getField(field), value.toString()))
        : Optional.empty();
  }

  private static boolean isNested(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && !field.isRepeated()
        && !field.getMessageType().getFile().getPackage().equals("google.protobuf");
  }

  /** Adds {@code @type} to the one entry of a map of protocol options; other entries are errors. */
  private static Optional<JsonObject> options(JsonElement value, FieldErrors errors) {
    if (!(value instanceof JsonObject map)
        || !map.keySet().equals(Set.of(PROTOCOL_OPTIONS))
        || !(map.get(PROTOCOL_OPTIONS) instanceof JsonObject options)) {
      return errors.refuse(
          "must be a mapping with the key " + quoted(PROTOCOL_OPTIONS) + " and no other");
    }
    JsonElement type = options.get(TYPE);
    if (type != null && !isProtocolOptions(type)) {
      return errors.at(TYPE).refuse("must be " + PROTOCOL_OPTIONS);
    }
    JsonObject typed = options.deepCopy();
    typed.addProperty(TYPE, URL_PREFIX + PROTOCOL_OPTIONS);
    var whole = new JsonObject();
    whole.add(PROTOCOL_OPTIONS, typed);
    return Optional.of(whole);
  }

  private static boolean isProtocolOptions(JsonElement type) {
    return type.isJsonPrimitive()
        && TypedConfig.typeName(type.getAsString()).equals(PROTOCOL_OPTIONS);
  }

  private static void warnOfNoEffect(
      JsonArray list, FieldDescriptor field, String name, FieldErrors errors) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) instanceof JsonObject item) {
        FieldErrors here = errors.at(name, i);
        for (String part : item.keySet()) {
          JsonDiagnosis.find(field.getMessageType(), part)
              .ifPresent(found -> warnOfNoEffect(found, field.getName(), here.at(part)));
        }
      }
    }
  }

  /**
   * @param key the key in {@link #EFFECTIVE} of the message that contains the field
   */
  private static void warnOfNoEffect(FieldDescriptor field, String key, FieldErrors here) {
    Set<String> effective = EFFECTIVE.get(key);
    if (effective != null && !effective.contains(field.getName())) {
      here.ignore("has no effect: gRPC clients ignore it; leave it out");
    }
  }
}
