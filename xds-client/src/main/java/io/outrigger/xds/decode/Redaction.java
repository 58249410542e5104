package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.RawResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Removes secrets from messages of the control plane. Redaction blanks fields that the proto files
 * mark as sensitive, also inside an {@code Any}. Redaction also blanks fields, headers and members
 * of a {@code Struct} with secret names ({@link SecretNames}), and all metadata that Envoy would
 * send to a gRPC service. Data that cannot be parsed cannot be searched and is removed: only type
 * and length remain of an {@code Any} of unknown type, and fields that the bundled proto files do
 * not define are left out.
 */
@AnyThread
public final class Redaction {
  /** The messages that describe a header, each with the field that holds the name of the header. */
  private static final Map<String, String> HEADER_NAME_FIELDS =
      Map.of(
          "envoy.config.core.v3.HeaderValue", "key",
          "envoy.config.route.v3.HeaderMatcher", "name");

  private static final int ANY_URL = 1;
  private static final int ANY_VALUE = 2;

  /**
   * The maximum depth of {@code Any} inside {@code Any}. Protobuf's own depth limit starts again in
   * each Any.
   */
  private static final int MAX_DEPTH = 64;

  private static final String STRUCT_URL = "type.googleapis.com/google.protobuf.Struct";

  /**
   * A field of {@code envoy.config.core.v3.GrpcService} and its parts. The headers in this field
   * may hold credentials under any name.
   */
  private static final String GRPC_METADATA = "initial_metadata";

  private static final Redaction NAMING_UNREADABLE = new Redaction(Redaction::named);

  private final BiFunction<String, ByteString, Any> unreadable;

  /**
   * @param unreadable creates the replacement of an Any that has an unknown type or cannot be
   *     parsed, from its type URL and value
   */
  Redaction(BiFunction<String, ByteString, Any> unreadable) {
    this.unreadable = unreadable;
  }

  /**
   * Returns {@code resource} without secrets. A resource that has neither secrets nor unreadable
   * parts is returned byte for byte. An unreadable part is replaced by a {@code Struct} with its
   * {@code type_url} and its length in {@code bytes}. Never throws.
   */
  public static Any of(RawResource resource) {
    return NAMING_UNREADABLE.apply(resource.typeUrl(), ByteString.copyFrom(resource.bytes()), 0);
  }

  /**
   * Returns the Any without secrets.
   *
   * @param depth the number of Anys that enclose this Any
   */
  Any apply(String typeUrl, ByteString value, int depth) {
    Optional<Message> parsed = known(typeUrl, depth).flatMap(type -> parsed(type, value));
    if (parsed.isEmpty()) {
      return unreadable.apply(typeUrl, value);
    }
    Message before = parsed.get();
    Message after = cleaned(before, depth + 1);
    return any(typeUrl, after == before ? value : after.toByteString());
  }

  private static Any named(String typeUrl, ByteString value) {
    return struct(
        Struct.newBuilder()
            .putFields("type_url", Value.newBuilder().setStringValue(typeUrl).build())
            .putFields("bytes", Value.newBuilder().setNumberValue(value.size()).build())
            .build());
  }

  static Any struct(Struct struct) {
    return any(STRUCT_URL, struct.toByteString());
  }

  private static Any any(String typeUrl, ByteString value) {
    return Any.newBuilder().setTypeUrl(typeUrl).setValue(value).build();
  }

  private static Optional<Descriptor> known(String typeUrl, int depth) {
    if (depth > MAX_DEPTH || typeUrl.indexOf('/') < 0) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(KnownTypes.all().getDescriptorForTypeUrl(typeUrl));
    } catch (InvalidProtocolBufferException malformedUrl) {
      return Optional.empty();
    }
  }

  private static Optional<Message> parsed(Descriptor type, ByteString value) {
    try {
      return Optional.of(DynamicMessage.parseFrom(type, value));
    } catch (InvalidProtocolBufferException notReadable) {
      return Optional.empty();
    }
  }

  /**
   * Returns a copy of {@code message} without secrets, or {@code message} itself if it has none.
   */
  private Message cleaned(Message message, int depth) {
    Descriptor type = message.getDescriptorForType();
    if (type.getFullName().equals("google.protobuf.Any")) {
      String url = (String) message.getField(type.findFieldByNumber(ANY_URL));
      ByteString value = (ByteString) message.getField(type.findFieldByNumber(ANY_VALUE));
      if (url.isEmpty() && value.isEmpty()) {
        return message;
      }
      Any after = apply(url, value, depth);
      return after.getTypeUrl().equals(url) && after.getValue().equals(value) ? message : after;
    }
    if (type.getFullName().equals("google.protobuf.Struct")) {
      return withoutSecrets(message);
    }
    if (type.getFile().getPackage().equals("google.protobuf")) {
      return message;
    }
    String nameField = HEADER_NAME_FIELDS.get(type.getFullName());
    if (nameField != null) {
      FieldDescriptor name = type.findFieldByName(nameField);
      return SecretNames.isSecret((String) message.getField(name))
          ? blankedExcept(name, message)
          : withoutUnknown(message);
    }
    Message.@Nullable Builder changed = null;
    for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
      Object before = field.getValue();
      Object after = cleaned(field.getKey(), before, depth);
      if (after != before) {
        changed = changed == null ? message.toBuilder() : changed;
        changed.setField(field.getKey(), after);
      }
    }
    return withoutUnknown(changed == null ? message : changed.build());
  }

  private static Message withoutUnknown(Message message) {
    return message.getUnknownFields().asMap().isEmpty()
        ? message
        : message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance()).build();
  }

  private static Message withoutSecrets(Message structMessage) {
    try {
      Struct before = Struct.parseFrom(structMessage.toByteString());
      Struct after = SecretNames.withoutSecrets(before);
      return after.equals(before)
          ? structMessage
          : DynamicMessage.parseFrom(structMessage.getDescriptorForType(), after.toByteString());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("a Struct that was written a moment ago can be read", e);
    }
  }

  private Object cleaned(FieldDescriptor field, Object value, int depth) {
    if (isSensitive(field)) {
      return blanked(value);
    }
    if (field.getName().equals(GRPC_METADATA) && value instanceof List<?> headers) {
      return headers.stream().<Object>map(each -> withoutValue((Message) each)).toList();
    }
    if (field.getJavaType() != JavaType.MESSAGE) {
      return value;
    }
    if (!field.isRepeated()) {
      return cleaned((Message) value, depth);
    }
    List<?> before = (List<?>) value;
    List<Object> after =
        before.stream().<Object>map(element -> cleaned((Message) element, depth)).toList();
    for (int i = 0; i < after.size(); i++) {
      if (after.get(i) != before.get(i)) {
        return after;
      }
    }
    return value;
  }

  private static boolean isSensitive(FieldDescriptor field) {
    return field.getOptions().getExtension(udpa.annotations.Sensitive.sensitive)
        || ((field.getJavaType() == JavaType.STRING || field.getJavaType() == JavaType.BYTE_STRING)
            && SecretNames.isSecretField(field.getName()));
  }

  private static Message withoutValue(Message header) {
    return blankedExcept(header.getDescriptorForType().findFieldByName("key"), header);
  }

  private static Object blanked(Object value) {
    if (value instanceof String) {
      return SecretNames.REDACTED;
    }
    if (value instanceof ByteString) {
      return ByteString.copyFromUtf8(SecretNames.REDACTED);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Redaction::blanked).toList();
    }
    return value instanceof Message message ? blankedExcept(null, message) : value;
  }

  private static Message blankedExcept(@Nullable FieldDescriptor kept, Message message) {
    Message.Builder builder =
        message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance());
    message
        .getAllFields()
        .forEach((field, value) -> builder.setField(field, field == kept ? value : blanked(value)));
    return builder.build();
  }
}
