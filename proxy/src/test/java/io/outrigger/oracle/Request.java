package io.outrigger.oracle;

import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A call to make: its path, and its headers as names and values in turn. */
record Request(String path, List<String> headers) {
  Request {
    headers = List.copyOf(headers);
  }

  static Request of(String path, String... headers) {
    return new Request(path, List.of(headers));
  }

  /** This with one header more. */
  Request with(String name, String value) {
    List<String> more = new ArrayList<>(headers);
    more.add(name);
    more.add(value);
    return new Request(path, more);
  }

  Metadata metadata() {
    var metadata = new Metadata();
    for (int i = 0; i < headers.size(); i += 2) {
      String name = headers.get(i);
      String value = headers.get(i + 1);
      if (name.endsWith(Metadata.BINARY_HEADER_SUFFIX)) {
        metadata.put(
            Metadata.Key.of(name, Metadata.BINARY_BYTE_MARSHALLER),
            value.getBytes(StandardCharsets.UTF_8));
      } else {
        metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
      }
    }
    return metadata;
  }
}
