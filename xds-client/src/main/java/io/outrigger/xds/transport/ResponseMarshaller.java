package io.outrigger.xds.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
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
        return standard.parse(stream);
      }
      // Only a compressed stream is copied: it cannot be read twice, and a copy doubles the memory.
      InputStream whole = stream.markSupported() ? stream : ByteString.readFrom(stream).newInput();
      whole.mark(Integer.MAX_VALUE);
      ResponseRoom.requireResponse(CodedInputStream.newInstance(whole));
      whole.reset();
      return standard.parse(whole);
    } catch (IOException e) {
      throw Status.RESOURCE_EXHAUSTED
          .withDescription("the response " + e.getMessage())
          .asRuntimeException();
    }
  }
}
