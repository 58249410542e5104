package io.outrigger.xds.overlay;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
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
 * <p>The members of a oneof count as one field. All fields of the load balancing policy ({@code
 * lb_policy}, its configurations and {@code load_balancing_policy}) count as one field too, because
 * a cluster has only one effective policy.
 *
 * <p>Each instance is used for one message.
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
    var application = new Application(rule);
    for (Patch.Field field : patch.fields()) {
      if (PolicyChoice.allows(message, setPaths, rule.mode(), field.field())) {
        application.apply(message, "", field);
      }
    }
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

    private void apply(Message.Builder into, String parentPath, Patch.Field patch) {
      FieldDescriptor field = patch.field();
      String path = parentPath + field.getName();
      if (isReserved(into, field, parentPath, path)) {
        return;
      }
      if (patch instanceof Patch.Whole whole) {
        set(into, path, whole);
      } else if (patch instanceof Patch.Within within) {
        setWithin(into, path, within);
      } else if (patch instanceof Patch.Packed packed) {
        setPacked((Cluster.Builder) into, path, packed);
      }
      OneofDescriptor oneof = field.getRealContainingOneof();
      if (oneof != null && into.hasField(field)) {
        setPaths.add(parentPath + oneof.getName() + "=" + field.getName());
      }
    }

    /**
     * Whether the rule must not set a field: an earlier rule has set the whole field, or another
     * member of the field's oneof is set and must be kept.
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

    private void set(Message.Builder into, String path, Patch.Whole whole) {
      FieldDescriptor field = whole.field();
      if (!overrides() && isSet(into, field)) {
        return;
      }
      Object value = whole.value();
      if (value == null) {
        if (!overrides() || isSetWithin(path)) {
          return;
        }
        into.clearField(field);
      } else {
        into.setField(field, value);
      }
      record(path, whole.json());
    }

    private void setWithin(Message.Builder into, String path, Patch.Within within) {
      FieldDescriptor field = within.field();
      int before = values.size();
      boolean wasPresent = into.hasField(field);
      Message.Builder inner =
          wasPresent
              ? ((Message) into.getField(field)).toBuilder()
              : into.newBuilderForField(field);
      for (Patch.Field part : within.fields()) {
        apply(inner, path + ".", part);
      }
      if (values.size() > before) {
        into.setField(field, inner.build());
      } else if (!wasPresent && within.fields().isEmpty()) {
        into.setField(field, inner.build());
        values.add(new Value(rule, path, "{}"));
      }
    }

    private void setPacked(Cluster.Builder into, String path, Patch.Packed packed) {
      HttpProtocolOptions.Builder inner;
      try {
        Any none = Any.pack(HttpProtocolOptions.getDefaultInstance());
        Any known = into.getTypedExtensionProtocolOptionsOrDefault(packed.key(), none);
        String url = known.getTypeUrl();
        if (!url.substring(url.lastIndexOf('/') + 1).equals(packed.key())) {
          return; // an entry of another type stays unchanged
        }
        inner = HttpProtocolOptions.parseFrom(known.getValue()).toBuilder();
      } catch (InvalidProtocolBufferException e) {
        return; // an unreadable entry stays unchanged
      }
      int before = values.size();
      for (Patch.Field part : packed.fields()) {
        apply(inner, path + "[" + packed.key() + "].", part);
      }
      if (values.size() > before) {
        into.putTypedExtensionProtocolOptions(packed.key(), Any.pack(inner.build()));
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

  /** A field without presence counts as set if it differs from the default value. */
  private static boolean isSet(Message.Builder message, FieldDescriptor field) {
    return field.isRepeated() ? message.getRepeatedFieldCount(field) > 0 : message.hasField(field);
  }
}
