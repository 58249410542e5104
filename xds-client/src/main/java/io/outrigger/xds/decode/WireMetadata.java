package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The message {@code Metadata}, read without protobuf's maps; see {@link WireFields}. */
record WireMetadata(Map<String, Struct> filters, Map<String, Any> typed) {
  private static final WireMetadata NONE = new WireMetadata(Map.of(), Map.of());

  static WireMetadata read(@Nullable ByteString metadata, FieldErrors errors) {
    if (metadata == null) {
      return NONE;
    }
    try {
      return new WireMetadata(
          WireFields.entries(metadata, Metadata.FILTER_METADATA_FIELD_NUMBER, Struct.parser()),
          WireFields.entries(metadata, Metadata.TYPED_FILTER_METADATA_FIELD_NUMBER, Any.parser()));
    } catch (InvalidProtocolBufferException e) {
      errors.add("is not readable: " + e.getMessage());
      return NONE;
    }
  }

  String text(String filter, String key) {
    Struct ofFilter = filters.get(filter); // even reading an empty Struct builds descriptors
    return ofFilter == null
        ? ""
        : ofFilter.getFieldsOrDefault(key, Value.getDefaultInstance()).getStringValue();
  }
}
