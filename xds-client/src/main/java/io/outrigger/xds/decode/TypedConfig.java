package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import java.util.Optional;

/**
 * The content of an {@code Any}, with a TypedStruct already unwrapped (A39 "Top-Level Filter
 * Configs", A52).
 *
 * @param typeName the full name of the message type, without the host part of the type URL
 * @param bytes the serialized message, if there was no TypedStruct
 * @param struct the message as a JSON-like tree, if there was a TypedStruct
 */
record TypedConfig(String typeName, ByteString bytes, Optional<Struct> struct) {
  private static final String XDS_TYPED_STRUCT = "xds.type.v3.TypedStruct";
  private static final String UDPA_TYPED_STRUCT = "udpa.type.v1.TypedStruct";

  static Optional<TypedConfig> of(Any any, FieldErrors errors) {
    String name = typeName(any.getTypeUrl());
    try {
      if (name.equals(XDS_TYPED_STRUCT)) {
        var typed = com.github.xds.type.v3.TypedStruct.parseFrom(any.getValue());
        return Optional.of(ofStruct(typed.getTypeUrl(), typed.getValue()));
      }
      if (name.equals(UDPA_TYPED_STRUCT)) {
        var typed = com.github.udpa.udpa.type.v1.TypedStruct.parseFrom(any.getValue());
        return Optional.of(ofStruct(typed.getTypeUrl(), typed.getValue()));
      }
    } catch (InvalidProtocolBufferException e) {
      return errors.refuse("not a readable " + name + ": " + e.getMessage());
    }
    return Optional.of(new TypedConfig(name, any.getValue(), Optional.empty()));
  }

  private static TypedConfig ofStruct(String typeUrl, Struct value) {
    return new TypedConfig(typeName(typeUrl), ByteString.EMPTY, Optional.of(value));
  }

  static String typeName(String typeUrl) {
    return typeUrl.substring(typeUrl.lastIndexOf('/') + 1);
  }

  /** Parses an {@code Any} as a message of the prototype's type; ignores the type URL. */
  static <M extends Message> Optional<M> read(Any any, M prototype, FieldErrors errors) {
    String name = typeName(any.getTypeUrl());
    return new TypedConfig(name, any.getValue(), Optional.empty()).read(prototype, errors);
  }

  /**
   * Parses the content as a message; {@code prototype} is an instance of the message type. Ignores
   * unknown fields. Returns empty if parsing fails.
   */
  <M extends Message> Optional<M> read(M prototype, FieldErrors errors) {
    try {
      Message.Builder builder = prototype.newBuilderForType();
      if (struct.isPresent()) {
        String json = JsonFormat.printer().print(struct.get());
        JsonFormat.parser()
            .usingTypeRegistry(KnownTypes.all())
            .ignoringUnknownFields()
            .merge(json, builder);
      } else {
        builder.mergeFrom(bytes);
      }
      @SuppressWarnings("unchecked") // the builder is of the type of the prototype
      M message = (M) builder.build();
      return Optional.of(message);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // IllegalArgumentException is thrown for NaN in a Struct, which has no JSON form.
      int before = errors.count();
      struct.ifPresent(tree -> JsonDiagnosis.add(tree, prototype.getDescriptorForType(), errors));
      if (errors.count() == before) {
        errors.add("not a readable " + typeName + ": " + e.getMessage());
      }
      return Optional.empty();
    }
  }

  /** Like {@link #read}, but reports an unknown field of a TypedStruct as an error. */
  <M extends Message> Optional<M> readStrictly(M prototype, FieldErrors errors) {
    Optional<M> message = read(prototype, errors);
    if (message.isPresent()) {
      struct.ifPresent(tree -> JsonDiagnosis.add(tree, prototype.getDescriptorForType(), errors));
    }
    return message;
  }

  String quotedType() {
    return quoted(typeName);
  }
}
