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
 * What an {@code Any} holds once a TypedStruct around it is taken off (A39 "Top-Level Filter
 * Configs", A52).
 *
 * @param typeName the full name of the message type, without the URL's host part
 * @param bytes the serialized message, when there was no TypedStruct
 * @param struct the message as a JSON-like tree, when there was one
 */
record TypedConfig(String typeName, ByteString bytes, Optional<Struct> struct) {
  private static final String XDS_TYPED_STRUCT = "xds.type.v3.TypedStruct";
  private static final String UDPA_TYPED_STRUCT = "udpa.type.v1.TypedStruct";

  /** Looks inside {@code any}; empty when a TypedStruct is unreadable, which is in errors then. */
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
      errors.add("not a readable " + name + ": " + e.getMessage());
      return Optional.empty();
    }
    return Optional.of(new TypedConfig(name, any.getValue(), Optional.empty()));
  }

  private static TypedConfig ofStruct(String typeUrl, Struct value) {
    return new TypedConfig(typeName(typeUrl), ByteString.EMPTY, Optional.of(value));
  }

  /** The message type that {@code typeUrl} names: what follows the last slash. */
  static String typeName(String typeUrl) {
    return typeUrl.substring(typeUrl.lastIndexOf('/') + 1);
  }

  /** Reads {@code any} as a message like {@code prototype}, whatever its type URL says. */
  static <M extends Message> Optional<M> read(Any any, M prototype, FieldErrors errors) {
    String name = typeName(any.getTypeUrl());
    return new TypedConfig(name, any.getValue(), Optional.empty()).read(prototype, errors);
  }

  /**
   * The message, which must be of the type of {@code prototype}; unknown fields are ignored. Empty
   * when it cannot be read, which is then in {@code errors}.
   */
  <M extends Message> Optional<M> read(M prototype, FieldErrors errors) {
    try {
      Message.Builder builder = prototype.newBuilderForType();
      if (struct.isPresent()) {
        String json = JsonFormat.printer().print(struct.get());
        JsonFormat.parser().ignoringUnknownFields().merge(json, builder);
      } else {
        builder.mergeFrom(bytes);
      }
      @SuppressWarnings("unchecked") // a builder builds what it was made for
      M message = (M) builder.build();
      return Optional.of(message);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // The second: a Struct may hold NaN, which JSON cannot say.
      errors.add("not a readable " + typeName + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  /** How messages name the type. */
  String quotedType() {
    return quoted(typeName);
  }
}
