package io.outrigger.xds.overlay;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import io.outrigger.config.overlay.OverlayEffect.Value;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.overlay.OverlayRule.Mode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Lays one rule after the other over a message of the control plane, field by field. The first rule
 * that sets a field wins.
 *
 * <pre>
 * a field that                        default        override
 *   an earlier rule has set           stays          stays
 *   the control plane has set         stays          is replaced
 *   nobody has set                    is set         is set
 * </pre>
 *
 * <p>Of a oneof all members are one field. So are {@code lb_policy}, the configurations that belong
 * to it, and {@code load_balancing_policy}, of which only one has an effect.
 *
 * <p>Confined to the call that decodes the resource.
 */
public final class Merge {
  private final Message.Builder message;
  private final Set<String> taken; // paths that a rule has set
  private final List<Value> values;

  /** Begins with what the control plane sent. */
  public Merge(Message own) {
    this(own, Set.of(), List.of());
  }

  private Merge(Message own, Set<String> taken, List<Value> values) {
    this.message = own.toBuilder();
    this.taken = new HashSet<>(taken);
    this.values = new ArrayList<>(values);
  }

  /** One that goes on from here, and leaves this one as it is. */
  public Merge fork() {
    return new Merge(message.build(), taken, values);
  }

  /**
   * Lays a rule over the message.
   *
   * @return whether it has set anything
   */
  public boolean lay(OverlayRule rule, Patch patch) {
    int before = values.size();
    var layer = new Layer(rule);
    for (Patch.Field field : patch.fields()) {
      if (PolicyChoice.admits(message, taken, rule.mode(), field.field())) {
        layer.lay(message, "", field);
      }
    }
    List<Value> added = values.subList(before, values.size());
    if (rule.mode() == Mode.OVERRIDE) {
      PolicyChoice.clearOthers(message, taken, added);
    }
    return !added.isEmpty();
  }

  /** What rules have set so far, in their order. */
  public List<Value> values() {
    return values;
  }

  /** The message with all that was laid over it. */
  public Message message() {
    return message.build();
  }

  /** One rule on its way through the message. */
  private final class Layer {
    private final OverlayRule rule;

    Layer(OverlayRule rule) {
      this.rule = rule;
    }

    private boolean overrides() {
      return rule.mode() == Mode.OVERRIDE;
    }

    private void lay(Message.Builder into, String place, Patch.Field patch) {
      FieldDescriptor field = patch.field();
      String path = place + field.getName();
      if (isClosed(into, field, place, path)) {
        return;
      }
      if (patch instanceof Patch.Whole whole) {
        set(into, path, whole);
      } else if (patch instanceof Patch.Within within) {
        descend(into, path, within);
      } else if (patch instanceof Patch.Packed packed) {
        unpack(into, path, packed);
      }
      OneofDescriptor oneof = field.getRealContainingOneof();
      if (oneof != null && into.hasField(field)) {
        taken.add(place + oneof.getName() + "=" + field.getName());
      }
    }

    /** Whether a member of its oneof, or an earlier rule's word on the whole, is in the way. */
    private boolean isClosed(
        Message.Builder into, FieldDescriptor field, String place, String path) {
      if (taken.contains(path)) {
        return true;
      }
      OneofDescriptor oneof = field.getRealContainingOneof();
      if (oneof == null || !into.hasOneof(oneof)) {
        return false;
      }
      FieldDescriptor other = into.getOneofFieldDescriptor(oneof);
      boolean isOther = other != null && !other.equals(field);
      return isOther
          && (!overrides() || taken.contains(place + oneof.getName() + "=" + other.getName()));
    }

    private void set(Message.Builder into, String path, Patch.Whole whole) {
      FieldDescriptor field = whole.field();
      if (!overrides() && isSet(into, field)) {
        return;
      }
      Object value = whole.value();
      if (value == null) {
        if (!overrides() || isTakenWithin(path)) {
          return;
        }
        into.clearField(field);
      } else {
        into.setField(field, value);
      }
      note(path, whole.json());
    }

    private void descend(Message.Builder into, String path, Patch.Within within) {
      FieldDescriptor field = within.field();
      int before = values.size();
      boolean wasThere = into.hasField(field);
      Message.Builder inner =
          wasThere ? ((Message) into.getField(field)).toBuilder() : into.newBuilderForField(field);
      for (Patch.Field part : within.fields()) {
        lay(inner, path + ".", part);
      }
      if (values.size() > before) {
        into.setField(field, inner.build());
      } else if (!wasThere && within.fields().isEmpty()) {
        into.setField(field, inner.build());
        values.add(new Value(rule, path, "{}"));
      }
    }

    private void unpack(Message.Builder into, String path, Patch.Packed packed) {
      List<Message> others = new ArrayList<>();
      Message.Builder inner = packed.type().newBuilderForType();
      for (int i = 0; i < into.getRepeatedFieldCount(packed.field()); i++) {
        var entry = (MapEntry<?, ?>) into.getRepeatedField(packed.field(), i);
        if (!packed.key().equals(entry.getKey())) {
          others.add(entry);
        } else if (!read((Any) entry.getValue(), inner)) {
          return; // of another type, or not legible: not ours to judge
        }
      }
      int before = values.size();
      for (Patch.Field part : packed.fields()) {
        lay(inner, path + "[" + packed.key() + "].", part);
      }
      if (values.size() > before) {
        others.add(
            ((MapEntry<?, ?>) into.newBuilderForField(packed.field()).build())
                .toBuilder()
                    .setField(key(packed), packed.key())
                    .setField(value(packed), Any.pack(inner.build()))
                    .build());
        into.setField(packed.field(), others);
      }
    }

    private void note(String path, String json) {
      taken.add(path);
      values.add(new Value(rule, path, json));
    }

    private boolean isTakenWithin(String path) {
      return taken.stream().anyMatch(other -> other.startsWith(path + "."));
    }
  }

  private static FieldDescriptor key(Patch.Packed packed) {
    return packed.field().getMessageType().findFieldByNumber(1);
  }

  private static FieldDescriptor value(Patch.Packed packed) {
    return packed.field().getMessageType().findFieldByNumber(2);
  }

  private static boolean read(Any any, Message.Builder into) {
    String type = any.getTypeUrl().substring(any.getTypeUrl().lastIndexOf('/') + 1);
    if (!type.equals(into.getDescriptorForType().getFullName())) {
      return false;
    }
    try {
      into.mergeFrom(any.getValue());
      return true;
    } catch (InvalidProtocolBufferException e) {
      return false;
    }
  }

  /** Present, or not its default where presence cannot be told. */
  static boolean isSet(Message.Builder message, FieldDescriptor field) {
    if (field.isRepeated()) {
      return message.getRepeatedFieldCount(field) > 0;
    }
    return message.hasField(field); // of a field without presence: whether it is not the default
  }
}
