package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.overlay.DocumentFindings;
import io.outrigger.xds.overlay.Located;
import io.outrigger.xds.overlay.Located.Entry;
import io.outrigger.xds.overlay.Located.Fields;
import io.outrigger.xds.overlay.Located.Items;
import io.outrigger.xds.overlay.Located.Place;
import io.outrigger.xds.overlay.Patch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads the patch of an overlay rule: a partial message in proto3 JSON. The result records which
 * fields the patch names. An instance is used for one patch.
 */
@AnyThread
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
   * The fields that have an effect, by the name of the message or list. Only messages that also
   * have fields without effect are listed (CONTRACT 11).
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

  private static final String PROTOCOL_OPTIONS =
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";

  private static final String ROOT = "patch";
  private static final String TYPE = "@type";

  private static final String URL_PREFIX = "type.googleapis.com/";

  private final DocumentFindings findings;

  /** Creates a reader that reports problems to {@code findings}. */
  public PatchReader(DocumentFindings findings) {
    this.findings = findings;
  }

  /**
   * Reads a patch of {@code Cluster}.
   *
   * @param ownFields the names of fields that exist only in overlay rules; the reader skips them
   */
  public Patch cluster(Fields patch, Set<String> ownFields) {
    Patch read = read(patch, Cluster.getDefaultInstance(), CLUSTER_FIELDS, ownFields);
    validate(patch, PatchTrial.ofCluster(read));
    return read;
  }

  /** Reads a patch of {@code RouteAction}. */
  public Patch route(Fields patch) {
    Patch read = read(patch, RouteAction.getDefaultInstance(), ROUTE_FIELDS, Set.of());
    validate(patch, PatchTrial.ofRoute(read));
    return read;
  }

  private Patch read(Fields patch, Message type, Set<String> allowed, Set<String> ownFields) {
    List<Patch.Field> fields = new ArrayList<>();
    patch
        .entries()
        .forEach(
            (name, entry) -> {
              if (ownFields.contains(name)) {
                return;
              }
              String path = ROOT + "." + name;
              Optional<FieldDescriptor> field = find(type.getDescriptorForType(), name);
              if (field.isEmpty()) {
                findings.add(entry.place(), path, unknown(type.getDescriptorForType()));
              } else if (!allowed.contains(field.get().getName())) {
                findings.add(entry.place(), path, refusal(allowed, ownFields));
              } else {
                field(entry, field.get(), type.newBuilderForType(), path).ifPresent(fields::add);
              }
            });
    return new Patch(fields);
  }

  private static String refusal(Set<String> allowed, Set<String> ownFields) {
    List<String> all = new ArrayList<>(allowed);
    all.addAll(ownFields);
    return "may not be patched: an overlay changes neither where calls go nor how they are"
        + " secured; it may set "
        + String.join(", ", all.stream().sorted().toList());
  }

  private static String unknown(Descriptor type) {
    return "is no field of " + type.getFullName();
  }

  private static Optional<FieldDescriptor> find(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst();
  }

  /** Reads one field of the message {@code into}. */
  private Optional<Patch.Field> field(
      Entry entry, FieldDescriptor field, Message.Builder into, String path) {
    Located value = entry.value();
    if (value.json().isJsonNull()) {
      return Optional.of(new Patch.Whole(field, null, "null"));
    }
    if (field.isMapField() && into instanceof Cluster.Builder) {
      return options(entry, field, path);
    }
    if (isNested(field)) {
      return value instanceof Fields fields
          ? Optional.of(
              new Patch.Within(field, fields(fields, into.newBuilderForField(field), path)))
          : wrong(value.place(), path, "must be a mapping");
    }
    return whole(value, field, into, path);
  }

  /** Whether a rule sets the fields of the message in {@code field} one by one. */
  private static boolean isNested(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && !field.isRepeated()
        && !field.getMessageType().getFile().getPackage().equals("google.protobuf");
  }

  private List<Patch.Field> fields(Fields tree, Message.Builder into, String parent) {
    Descriptor type = into.getDescriptorForType();
    List<Patch.Field> fields = new ArrayList<>();
    tree.entries()
        .forEach(
            (name, entry) -> {
              String path = parent + "." + name;
              find(type, name)
                  .ifPresentOrElse(
                      field -> {
                        warnOfNoEffect(entry, field, type.getName(), path);
                        field(entry, field, into, path).ifPresent(fields::add);
                      },
                      () -> findings.add(entry.place(), path, unknown(type)));
            });
    return fields;
  }

  /**
   * Reads {@code HttpProtocolOptions}, the only supported entry of {@code
   * typed_extension_protocol_options}, field by field.
   */
  private Optional<Patch.Field> options(Entry entry, FieldDescriptor field, String path) {
    boolean isKnown =
        entry.value() instanceof Fields map
            && map.entries().keySet().equals(Set.of(PROTOCOL_OPTIONS));
    if (!isKnown) {
      return wrong(
          entry.place(),
          path,
          "must be a mapping with the key " + quoted(PROTOCOL_OPTIONS) + " and no other");
    }
    Located options = ((Fields) entry.value()).entries().values().iterator().next().value();
    if (!(options instanceof Fields fields)) {
      return wrong(options.place(), path, "must be a mapping");
    }
    Map<String, Entry> rest = new LinkedHashMap<>(fields.entries());
    Entry type = rest.remove(TYPE);
    if (type != null && !isProtocolOptions(type.value().json())) {
      return wrong(type.place(), path + "." + TYPE, "must be " + PROTOCOL_OPTIONS);
    }
    var message = HttpProtocolOptions.getDefaultInstance();
    return Optional.of(
        new Patch.Packed(
            field,
            PROTOCOL_OPTIONS,
            message,
            fields(
                new Fields(fields.place(), rest),
                message.toBuilder(),
                path + "[" + PROTOCOL_OPTIONS + "]")));
  }

  private static boolean isProtocolOptions(JsonElement type) {
    return type.isJsonPrimitive()
        && TypedConfig.typeName(type.getAsString()).equals(PROTOCOL_OPTIONS);
  }

  private Optional<Patch.Field> whole(
      Located value, FieldDescriptor field, Message.Builder into, String path) {
    if (EFFECTIVE.containsKey(field.getName()) && value instanceof Items list) {
      for (int i = 0; i < list.items().size(); i++) {
        warnOfNoEffect(list.items().get(i), field, path + "[" + i + "]");
      }
    }
    var alone = new JsonObject();
    alone.add(field.getName(), value.json());
    JsonObject carried = UnreadTypes.carried(alone);
    Message.Builder read = into.getDefaultInstanceForType().newBuilderForType();
    try {
      JsonFormat.parser().usingTypeRegistry(KnownTypes.all()).merge(carried.toString(), read);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      carried.addProperty(TYPE, URL_PREFIX + into.getDescriptorForType().getFullName());
      List<FieldError> found = JsonDiagnosis.of(carried);
      if (found.isEmpty()) {
        return wrong(value.place(), path, String.valueOf(e.getMessage()));
      }
      for (FieldError error : found) {
        String within = error.path().substring(field.getName().length());
        List<String> steps = error.steps().subList(1, error.steps().size());
        wrong(value.placeOf(steps), path + within, error.reason());
      }
      return Optional.empty();
    }
    return Optional.of(new Patch.Whole(field, read.getField(field), value.json().toString()));
  }

  /** Warns of fields without effect in one message of a list. A rule sets the list as one value. */
  private void warnOfNoEffect(Located item, FieldDescriptor list, String path) {
    if (item instanceof Fields fields) {
      fields
          .entries()
          .forEach(
              (name, entry) ->
                  find(list.getMessageType(), name)
                      .ifPresent(
                          field ->
                              warnOfNoEffect(entry, field, list.getName(), path + "." + name)));
    }
  }

  /**
   * @param message the name of the message that {@code field} belongs to, as in {@link #EFFECTIVE}
   */
  private void warnOfNoEffect(Entry entry, FieldDescriptor field, String message, String path) {
    Set<String> effective = EFFECTIVE.get(message);
    if (effective != null && !effective.contains(field.getName())) {
      findings.ignore(entry.place(), path, "has no effect: gRPC clients ignore it; leave it out");
    }
  }

  private Optional<Patch.Field> wrong(Place place, String path, String reason) {
    findings.add(place, path, reason);
    return Optional.empty();
  }

  /** Reports the errors that the decoders find in the patch alone. */
  private void validate(Fields patch, List<FieldError> errors) {
    for (FieldError error : errors) {
      String field = error.path().isEmpty() ? ROOT : ROOT + "." + error.path();
      findings.add(patch.placeOf(error.steps()), field, error.reason());
    }
  }
}
