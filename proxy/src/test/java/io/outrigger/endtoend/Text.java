package io.outrigger.endtoend;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Text as the message itself: the tests need no schema. */
final class Text implements MethodDescriptor.Marshaller<String> {
  /** The method at {@code path}, such as {@code test.Pay/Charge}. */
  static MethodDescriptor<String, String> method(String path, MethodDescriptor.MethodType type) {
    return MethodDescriptor.<String, String>newBuilder()
        .setType(type)
        .setFullMethodName(path)
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();
  }

  @Override
  public InputStream stream(String value) {
    return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String parse(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
