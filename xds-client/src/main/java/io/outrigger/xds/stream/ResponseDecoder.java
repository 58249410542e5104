package io.outrigger.xds.stream;

import com.google.protobuf.Any;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import java.util.List;

/** Validates the resources of a response. Tests use simple decoders of their own. */
@FunctionalInterface
public interface ResponseDecoder {
  <T> Decoded<T> decode(ResourceType<T> type, List<Any> resources, DecodeContext context);
}
