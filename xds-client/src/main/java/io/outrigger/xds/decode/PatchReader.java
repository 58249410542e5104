package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
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
import io.outrigger.xds.overlay.Located.Scalar;
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
    report(patch, PatchTrial.ofCluster(read));
    return read;
  }

  public Patch route(Fields patch) {
    Patch read = read(patch, RouteAction.getDefaultInstance(), ROUTE_FIELDS, Set.of());
    report(patch, PatchTrial.ofRoute(read));
    return read;
  }

  private Patch read(Fields patch, Message type, Set<String> allowed, Set<String> ownFields) {
    Map<String, Entry> kept = new LinkedHashMap<>();
    patch
        .entries()
        .forEach(
            (name, entry) -> {
              Optional<FieldDescriptor> field =
                  JsonDiagnosis.find(type.getDescriptorForType(), name);
              if (field.isPresent() && !allowed.contains(field.get().getName())) {
                findings.add(entry.place(), ROOT + "." + name, refusal(allowed, ownFields));
              } else if (field.isPresent()
                  && field.get().isMapField()
                  && !entry.value().json().isJsonNull()) {
                options(entry, ROOT + "." + name).ifPresent(fields -> kept.put(name, fields));
              } else if (!ownFields.contains(name)) {
                kept.put(name, entry);
              }
            });
    var rest = new Fields(patch.place(), kept);
    JsonObject json = UnreadTypes.carried(rest.json());
    json.addProperty(TYPE, URL_PREFIX + type.getDescriptorForType().getFullName());
    List<FieldError> errors = JsonDiagnosis.of(json);
    report(patch, errors);
    return errors.isEmpty()
        ? new Patch(fields(rest, type.newBuilderForType(), ROOT))
        : Patch.NOTHING;
  }

  private static String refusal(Set<String> allowed, Set<String> ownFields) {
    List<String> all = new ArrayList<>(allowed);
    all.addAll(ownFields);
    return "may not be patched: an overlay changes neither where calls go nor how they are"
        + " secured; it may set "
        + String.join(", ", all.stream().sorted().toList());
  }

  /** Reads the fields of a message that {@link JsonDiagnosis} found no error in. */
  private List<Patch.Field> fields(Fields tree, Message.Builder into, String parent) {
    Descriptor type = into.getDescriptorForType();
    List<Patch.Field> fields = new ArrayList<>();
    tree.entries()
        .forEach(
            (name, entry) ->
                JsonDiagnosis.find(type, name)
                    .ifPresent(
                        field -> {
                          String path = parent + "." + name;
                          warnOfNoEffect(entry, field, type.getName(), path);
                          field(entry.value(), field, into, path).ifPresent(fields::add);
                        }));
    return fields;
  }

  private Optional<Patch.Field> field(
      Located value, FieldDescriptor field, Message.Builder into, String path) {
    if (value.json().isJsonNull()) {
      return Optional.of(new Patch.Whole(field, null, "null"));
    }
    if (field.isMapField() && into instanceof Cluster.Builder && value instanceof Fields map) {
      Entry options = map.entries().values().iterator().next();
      var message = HttpProtocolOptions.getDefaultInstance();
      String inside = path + "[" + PROTOCOL_OPTIONS + "]";
      return Optional.of(
          new Patch.Packed(
              field,
              PROTOCOL_OPTIONS,
              message,
              fields((Fields) options.value(), message.toBuilder(), inside)));
    }
    return isNested(field) && value instanceof Fields fields
        ? Optional.of(new Patch.Within(field, fields(fields, into.newBuilderForField(field), path)))
        : whole(value, field, into, path);
  }

  /** Whether a rule sets the fields of the message in {@code field} one by one. */
  private static boolean isNested(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && !field.isRepeated()
        && !field.getMessageType().getFile().getPackage().equals("google.protobuf");
  }

  /**
   * Returns the entry with the type of its only supported key, {@code HttpProtocolOptions}; empty
   * if the entry is wrong.
   */
  private Optional<Entry> options(Entry entry, String path) {
    if (!(entry.value() instanceof Fields map)
        || !map.entries().keySet().equals(Set.of(PROTOCOL_OPTIONS))
        || !(map.entries().values().iterator().next().value() instanceof Fields fields)) {
      findings.add(
          entry.place(),
          path,
          "must be a mapping with the key " + quoted(PROTOCOL_OPTIONS) + " and no other");
      return Optional.empty();
    }
    Map<String, Entry> typed = new LinkedHashMap<>(fields.entries());
    var url = new Scalar(fields.place(), new JsonPrimitive(URL_PREFIX + PROTOCOL_OPTIONS));
    Entry type = typed.putIfAbsent(TYPE, new Entry(fields.place(), url));
    if (type != null && !isProtocolOptions(type.value().json())) {
      findings.add(type.place(), path + "." + TYPE, "must be " + PROTOCOL_OPTIONS);
      return Optional.empty();
    }
    var inner = new Entry(entry.place(), new Fields(fields.place(), typed));
    return Optional.of(
        new Entry(entry.place(), new Fields(map.place(), Map.of(PROTOCOL_OPTIONS, inner))));
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
    Message.Builder read = into.getDefaultInstanceForType().newBuilderForType();
    try {
      JsonFormat.parser()
          .usingTypeRegistry(KnownTypes.all())
          .merge(UnreadTypes.carried(alone).toString(), read);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      findings.add(value.place(), path, String.valueOf(e.getMessage()));
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
                  JsonDiagnosis.find(list.getMessageType(), name)
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

  private void report(Fields patch, List<FieldError> errors) {
    for (FieldError error : errors) {
      String field = error.path().isEmpty() ? ROOT : ROOT + "." + error.path();
      findings.add(patch.placeOf(error.steps()), field, error.reason());
    }
  }
}
