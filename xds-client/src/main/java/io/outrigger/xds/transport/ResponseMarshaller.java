package io.outrigger.xds.transport;

import com.google.protobuf.ByteString;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.outrigger.xds.decode.ResponseRoom;
import java.io.IOException;
import java.io.InputStream;

/** Parses a response, unless the list of its resources would not fit into the heap. */
record ResponseMarshaller<R>(MethodDescriptor.Marshaller<R> standard)
    implements MethodDescriptor.Marshaller<R> {
  @Override
  public InputStream stream(R value) {
    return standard.stream(value);
  }

  @Override
  public R parse(InputStream stream) {
    try {
      if (stream instanceof KnownLength && ResponseRoom.admits(stream.available())) {
        return standard.parse(stream); // needs no copy of the bytes
      }
      ByteString bytes = ByteString.readFrom(stream);
      ResponseRoom.requireResponse(bytes);
      return standard.parse(bytes.newInput());
    } catch (IOException e) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("the response " + e.getMessage())
          .asRuntimeException();
    }
  }
}
