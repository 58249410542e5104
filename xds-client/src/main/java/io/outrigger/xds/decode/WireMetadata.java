package io.outrigger.xds.decode;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The message {@code Metadata}, read without protobuf's maps; see {@link WireFields}.
 *
 * @param filters the metadata of each filter, by the name of the filter
 */
record WireMetadata(Map<String, Struct> filters, Map<String, Any> typed) {
  private static final WireMetadata NONE = new WireMetadata(Map.of(), Map.of());

  static WireMetadata read(@Nullable ByteString metadata, FieldErrors errors) {
    if (metadata == null) {
      return NONE;
    }
    try {
      Map<String, Struct> filters = new LinkedHashMap<>();
      for (var entry :
          WireFields.entries(metadata, Metadata.FILTER_METADATA_FIELD_NUMBER).entrySet()) {
        filters.put(entry.getKey(), Struct.parseFrom(entry.getValue()));
      }
      Map<String, Any> typed = new HashMap<>();
      for (var entry :
          WireFields.entries(metadata, Metadata.TYPED_FILTER_METADATA_FIELD_NUMBER).entrySet()) {
        typed.put(entry.getKey(), Any.parseFrom(entry.getValue()));
      }
      return new WireMetadata(filters, typed);
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
