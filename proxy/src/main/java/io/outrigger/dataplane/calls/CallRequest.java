package io.outrigger.dataplane.calls;

import io.netty.util.AsciiString;
import io.outrigger.config.route.RequestView;
import io.outrigger.http2.HeaderList;

/** What is told of a call's request when it has ended. */
public interface CallRequest extends RequestView {
  AsciiString method();

  /** Empty when the app sent none. */
  AsciiString authority();

  boolean isGrpc();

  HeaderList headers();
}
