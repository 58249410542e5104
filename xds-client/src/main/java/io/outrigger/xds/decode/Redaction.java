package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import io.outrigger.xds.RawResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes secrets from messages of the control plane. Secrets are: fields that the proto files mark
 * as sensitive; fields, headers and members of a {@code Struct} with secret names; all metadata
 * that Envoy would send to a gRPC service. Data that cannot be parsed is removed. Of an {@code Any}
 * of unknown type, only the type and the length remain. Unknown fields are left out.
 */
public final class Redaction {
  /** For each message type that describes a header, the field that contains the header's name. */
  private static final Map<String, String> HEADER_NAME_FIELDS =
      Map.of(
          "envoy.config.core.v3.HeaderValue", "key",
          "envoy.config.route.v3.HeaderMatcher", "name");

  /** The maximum nesting of {@code Any}; protobuf's own limit starts again in each Any. */
  private static final int MAX_DEPTH = 64;

  /** A field of {@code GrpcService} whose headers may contain credentials under any name. */
  private static final String GRPC_METADATA = "initial_metadata";

  private static final String REDACTED = "[redacted]";

  private static final Value REDACTED_VALUE = Value.newBuilder().setStringValue(REDACTED).build();

  /** Matches names of headers and metadata whose values may be secret; deliberately broad. */
  private static final Pattern SECRET =
      Pattern.compile(
          "token|passw(or)?d|passphrase|secret|credential|(api|private|access|json)[-_.]?key"
              + "|authorization|cookie",
          Pattern.CASE_INSENSITIVE);

  /** Matches names of fields that hold a secret, not of fields that name a secret or its file. */
  private static final Pattern SECRET_FIELD =
      Pattern.compile(
          "(.*_)?(access_token|refresh_token|authorization_token|id_token|password|passphrase"
              + "|api_key|private_key|json_key|client_secret)");

  /** Members of a {@code Struct} that may hold a setting's name; {@link #VALUE} holds its value. */
  private static final List<String> NAMES = List.of("key", "name", "header", "header_name");

  private static final String VALUE = "value";

  private Redaction() {}

  /**
   * Returns the resource without secrets; if all parts are readable and without secrets, the bytes
   * stay the same. An unreadable part is replaced by a {@code Struct} of two fields: {@code
   * type_url}, and {@code bytes}, which is the length of the part. Never throws.
   */
  public static Any of(RawResource resource) {
    return apply(resource.typeUrl(), ByteString.copyFrom(resource.bytes()), 0);
  }

  private static Any apply(String typeUrl, ByteString value, int depth) {
    Optional<Descriptor> known = depth > MAX_DEPTH ? Optional.empty() : KnownTypes.find(typeUrl);
    Optional<Message> parsed = known.flatMap(type -> parsed(type, value));
    if (parsed.isEmpty()) {
      var named =
          Struct.newBuilder()
              .putFields("type_url", Value.newBuilder().setStringValue(typeUrl).build())
              .putFields("bytes", Value.newBuilder().setNumberValue(value.size()).build());
      return Any.pack(named.build());
    }
    Message shown = cleaned(parsed.get(), depth + 1);
    return Any.newBuilder()
        .setTypeUrl(typeUrl)
        .setValue(shown.equals(parsed.get()) ? value : shown.toByteString())
        .build();
  }

  private static Optional<Message> parsed(Descriptor type, ByteString value) {
    try {
      return Optional.of(DynamicMessage.parseFrom(type, value));
    } catch (InvalidProtocolBufferException notReadable) {
      return Optional.empty();
    }
  }

  private static Message cleaned(Message message, int depth) {
    Descriptor type = message.getDescriptorForType();
    if (type.getFullName().equals("google.protobuf.Any")) {
      String url = (String) message.getField(type.findFieldByNumber(Any.TYPE_URL_FIELD_NUMBER));
      var value = (ByteString) message.getField(type.findFieldByNumber(Any.VALUE_FIELD_NUMBER));
      return url.isEmpty() && value.isEmpty() ? message : apply(url, value, depth);
    }
    if (type.getFullName().equals("google.protobuf.Struct")) {
      return structWithoutSecrets(message);
    }
    if (type.getFile().getPackage().equals("google.protobuf")) {
      return message;
    }
    String nameField = HEADER_NAME_FIELDS.get(type.getFullName());
    FieldDescriptor name = nameField == null ? null : type.findFieldByName(nameField);
    if (name != null && isSecret((String) message.getField(name))) {
      return blankedExcept(name, message);
    }
    Message.Builder shown =
        message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance());
    message
        .getAllFields()
        .forEach((field, value) -> shown.setField(field, cleaned(field, value, depth)));
    return shown.build();
  }

  private static Message structWithoutSecrets(Message struct) {
    try {
      return withoutSecrets(Struct.parseFrom(struct.toByteString()));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("a Struct that was written a moment ago can be read", e);
    }
  }

  private static Object cleaned(FieldDescriptor field, Object value, int depth) {
    if (isSensitive(field)) {
      return blanked(value);
    }
    if (field.getName().equals(GRPC_METADATA) && value instanceof List<?> headers) {
      return headers.stream().<Object>map(each -> withoutValue((Message) each)).toList();
    }
    if (value instanceof List<?> list) {
      return list.stream()
          .<Object>map(each -> each instanceof Message part ? cleaned(part, depth) : each)
          .toList();
    }
    return value instanceof Message part ? cleaned(part, depth) : value;
  }

  private static boolean isSensitive(FieldDescriptor field) {
    return field.getOptions().getExtension(udpa.annotations.Sensitive.sensitive)
        || ((field.getJavaType() == JavaType.STRING || field.getJavaType() == JavaType.BYTE_STRING)
            && SECRET_FIELD.matcher(field.getName()).matches());
  }

  private static Message withoutValue(Message header) {
    return blankedExcept(header.getDescriptorForType().findFieldByName("key"), header);
  }

  private static Object blanked(Object value) {
    if (value instanceof String) {
      return REDACTED;
    }
    if (value instanceof ByteString) {
      return ByteString.copyFromUtf8(REDACTED);
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

  private static boolean isSecret(String name) {
    return SECRET.matcher(name).find();
  }

  static Struct withoutSecrets(Struct struct) {
    boolean valueIsSecret = NAMES.stream().anyMatch(name -> isSecret(textOf(struct, name)));
    var shown = Struct.newBuilder();
    struct
        .getFieldsMap()
        .forEach(
            (name, value) -> {
              boolean hide = isSecret(name) || (valueIsSecret && name.equals(VALUE));
              shown.putFields(name, hide ? REDACTED_VALUE : withoutSecrets(value));
            });
    return shown.build();
  }

  private static String textOf(Struct struct, String member) {
    return struct.getFieldsOrDefault(member, Value.getDefaultInstance()).getStringValue();
  }

  private static Value withoutSecrets(Value value) {
    if (value.hasStructValue()) {
      return Value.newBuilder().setStructValue(withoutSecrets(value.getStructValue())).build();
    }
    if (value.hasListValue()) {
      var list = ListValue.newBuilder();
      value.getListValue().getValuesList().forEach(each -> list.addValues(withoutSecrets(each)));
      return Value.newBuilder().setListValue(list).build();
    }
    return value;
  }
}
