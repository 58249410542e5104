package io.outrigger.http2.testing;

import io.netty.util.AsciiString;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;

/** Creates header lists from alternating names and values. */
public final class Heads {
  private Heads() {}

  /** {@code POST /pkg.Svc/Call} of {@code app.local}, with more fields. */
  public static HeaderList request(String... fields) {
    var block =
        HeaderList.builder(8)
            .add(KnownName.METHOD, "POST")
            .add(KnownName.SCHEME, "http")
            .add(KnownName.PATH, "/pkg.Svc/Call")
            .add(KnownName.AUTHORITY, "app.local");
    return add(block, fields).build();
  }

  /** The head of a gRPC response. */
  public static HeaderList responseHead() {
    return headers(":status", "200", "content-type", "application/grpc");
  }

  /** A list of only these fields. */
  public static HeaderList headers(String... fields) {
    return add(HeaderList.builder(4), fields).build();
  }

  private static HeaderList.Builder add(HeaderList.Builder block, String... fields) {
    for (int i = 0; i < fields.length; i += 2) {
      block.add(new AsciiString(fields[i]), fields[i + 1]);
    }
    return block;
  }
}
