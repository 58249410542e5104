package io.outrigger.oracle;

import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import java.util.ArrayList;
import java.util.List;

/** Messages with one thing less in them, at any depth; also within an UpstreamTlsContext. */
final class Reduction {
  private Reduction() {}

  /** All with one thing less in {@code field}; the message without the field comes first. */
  static List<Message> of(Message message, FieldDescriptor field) {
    List<Message> smaller = new ArrayList<>();
    smaller.add(message.toBuilder().clearField(field).build());
    if (field.isRepeated()) {
      for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
        List<Object> rest = new ArrayList<>((List<?>) message.getField(field));
        Object removed = rest.remove(i);
        smaller.add(message.toBuilder().setField(field, rest).build());
        if (removed instanceof Message inner) {
          for (Message each : of(inner)) {
            smaller.add(message.toBuilder().setRepeatedField(field, i, each).build());
          }
        }
      }
    } else if (message.getField(field) instanceof Message inner) {
      of(inner).forEach(each -> smaller.add(message.toBuilder().setField(field, each).build()));
    }
    return smaller;
  }

  /** All with one thing less. */
  static List<Message> of(Message message) {
    if (message instanceof Any any && any.is(UpstreamTlsContext.class)) {
      try {
        return of(any.unpack(UpstreamTlsContext.class)).stream().<Message>map(Any::pack).toList();
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
    }
    List<Message> smaller = new ArrayList<>();
    message.getAllFields().keySet().forEach(field -> smaller.addAll(of(message, field)));
    return smaller;
  }
}
