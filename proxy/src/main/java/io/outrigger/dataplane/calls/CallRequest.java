package io.outrigger.dataplane.calls;

import io.netty.util.AsciiString;
import io.outrigger.config.route.RequestView;
import io.outrigger.http2.HeaderList;

/** The request of an ended call, as observers read it. */
public interface CallRequest extends RequestView {
  AsciiString method();

  AsciiString authority();

  boolean isGrpc();

  HeaderList headers();
}
