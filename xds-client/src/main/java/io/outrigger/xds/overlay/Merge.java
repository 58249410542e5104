package io.outrigger.xds.overlay;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.outrigger.config.overlay.OverlayEffect.Value;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Applies overlay rules, in order, to a message of the control plane. The first rule that sets a
 * field has precedence.
 *
 * <pre>
 * a field that                        default        override
 *   an earlier rule has set           stays          stays
 *   the control plane has set         stays          is replaced
 *   is not set                        is set         is set
 * </pre>
 *
 * <p>The members of a oneof count as one field. All fields for the policy ({@code lb_policy}, its
 * configurations and {@code load_balancing_policy}) count as one field too, because a cluster has
 * only one effective policy.
 *
 * <p>One call uses an instance, to decode one resource.
 */
public final class Merge {
  private final Message.Builder message;
  private final Set<String> setPaths; // paths of the fields that a rule has set
  private final List<Value> values;

  public Merge(Message original) {
    this(original, Set.of(), List.of());
  }

  private Merge(Message original, Set<String> setPaths, List<Value> values) {
    this.message = original.toBuilder();
    this.setPaths = new HashSet<>(setPaths);
    this.values = new ArrayList<>(values);
  }

  public Merge copy() {
    return new Merge(message.build(), setPaths, values);
  }

  /** Returns whether the rule has set any field. */
  public boolean apply(OverlayRule rule, Patch patch) {
    int before = values.size();
    new Application(rule).apply(message, "", patch.values(), patch.tree());
    List<Value> added = values.subList(before, values.size());
    if (rule.mode() == Mode.OVERRIDE) {
      PolicyChoice.clearOthers(message, setPaths, added);
    }
    return !added.isEmpty();
  }

  public List<Value> values() {
    return values;
  }

  public Message message() {
    return message.build();
  }

  private final class Application {
    private final OverlayRule rule;

    Application(OverlayRule rule) {
      this.rule = rule;
    }

    private boolean overrides() {
      return rule.mode() == Mode.OVERRIDE;
    }

    private void apply(Message.Builder into, String parentPath, Message patch, JsonObject tree) {
      for (Map.Entry<String, JsonElement> each : tree.entrySet()) {
        Patch.find(into.getDescriptorForType(), each.getKey())
            .filter(field -> PolicyChoice.allows(into, setPaths, rule.mode(), field))
            .filter(field -> !isReserved(into, field, parentPath, parentPath + field.getName()))
            .ifPresent(field -> apply(into, parentPath, patch, field, each.getValue()));
      }
    }

    private void apply(
        Message.Builder into,
        String parentPath,
        Message patch,
        FieldDescriptor field,
        JsonElement json) {
      String path = parentPath + field.getName();
      if (json instanceof JsonObject entries && field.isMapField()) {
        setOptions((Cluster.Builder) into, path, (Cluster) patch, entries);
      } else if (json instanceof JsonObject tree && isNested(field)) {
        setWithin(into, path, patch, field, tree);
      } else {
        set(into, path, patch, field, json);
      }
      OneofDescriptor oneof = field.getRealContainingOneof();
      if (oneof != null && into.hasField(field)) {
        setPaths.add(parentPath + oneof.getName() + "=" + field.getName());
      }
    }

    /**
     * Whether the rule must not set {@code field}. It must not if an earlier rule has set the whole
     * field, or if another member of the oneof is set that the rule must not replace.
     */
    private boolean isReserved(
        Message.Builder into, FieldDescriptor field, String parentPath, String path) {
      if (setPaths.contains(path)) {
        return true;
      }
      OneofDescriptor oneof = field.getRealContainingOneof();
      if (oneof == null || !into.hasOneof(oneof)) {
        return false;
      }
      FieldDescriptor other = into.getOneofFieldDescriptor(oneof);
      boolean isOther = other != null && !other.equals(field);
      return isOther
          && (!overrides()
              || setPaths.contains(parentPath + oneof.getName() + "=" + other.getName()));
    }

    private void set(
        Message.Builder into, String path, Message patch, FieldDescriptor field, JsonElement json) {
      if (!overrides() && (json.isJsonNull() || isSet(into, field))) {
        return;
      }
      if (!json.isJsonNull()) {
        into.setField(field, patch.getField(field));
      } else if (isSetWithin(path)) {
        return;
      } else {
        into.clearField(field);
      }
      record(path, json.toString());
    }

    private void setWithin(
        Message.Builder into, String path, Message patch, FieldDescriptor field, JsonObject tree) {
      int before = values.size();
      boolean wasPresent = into.hasField(field);
      Message.Builder inner =
          wasPresent
              ? ((Message) into.getField(field)).toBuilder()
              : into.newBuilderForField(field);
      apply(inner, path + ".", (Message) patch.getField(field), tree);
      if (values.size() > before) {
        into.setField(field, inner.build());
      } else if (!wasPresent && tree.isEmpty()) {
        into.setField(field, inner.build());
        values.add(new Value(rule, path, "{}"));
      }
    }

    /** Sets fields of the {@code HttpProtocolOptions}, the only entry of a map of {@code Any}. */
    private void setOptions(Cluster.Builder into, String path, Cluster patch, JsonObject entries) {
      String key = entries.keySet().iterator().next();
      HttpProtocolOptions.Builder inner;
      HttpProtocolOptions own;
      try {
        Any none = Any.pack(HttpProtocolOptions.getDefaultInstance());
        Any known = into.getTypedExtensionProtocolOptionsOrDefault(key, none);
        inner = known.unpack(HttpProtocolOptions.class).toBuilder();
        own = patch.getTypedExtensionProtocolOptionsOrThrow(key).unpack(HttpProtocolOptions.class);
      } catch (InvalidProtocolBufferException e) {
        return; // an entry that is unreadable or of another type stays unchanged
      }
      int before = values.size();
      apply(inner, path + "[" + key + "].", own, entries.getAsJsonObject(key));
      if (values.size() > before) {
        into.putTypedExtensionProtocolOptions(key, Any.pack(inner.build()));
      }
    }

    private void record(String path, String json) {
      setPaths.add(path);
      values.add(new Value(rule, path, json));
    }

    private boolean isSetWithin(String path) {
      return setPaths.stream().anyMatch(other -> other.startsWith(path + "."));
    }
  }

  /** Whether a rule sets the fields of the message in {@code field} one by one. */
  private static boolean isNested(FieldDescriptor field) {
    return field.getJavaType() == JavaType.MESSAGE
        && !field.isRepeated()
        && !field.getMessageType().getFile().getPackage().equals("google.protobuf");
  }

  /** A field without presence counts as set unless it has the default value. */
  private static boolean isSet(Message.Builder message, FieldDescriptor field) {
    return field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field);
  }
}
