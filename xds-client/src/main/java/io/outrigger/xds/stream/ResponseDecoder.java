package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import com.google.protobuf.UnsafeByteOperations;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import java.util.List;
import java.util.Optional;

/** Decodes the resources of a response. Tests implement simpler decoders. */
@FunctionalInterface
public interface ResponseDecoder {
  <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context);

  /** Decodes one resource; returns empty if it is invalid. */
  default <T> Optional<T> decode(ResourceType<T> type, RawResource raw, DecodeContext context) {
    Any any =
        Any.newBuilder()
            .setTypeUrl(raw.typeUrl())
            .setValue(UnsafeByteOperations.unsafeWrap(raw.bytes()))
            .build();
    return decode(type, List.of(any), context).valid().values().stream()
        .findFirst()
        .map(Decoded.Valid::value);
  }
}
