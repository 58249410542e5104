package io.outrigger.proxy.tls;

import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.AnyThread;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** A TLS library with settings and certificates: makes one engine for each connection. */
@AnyThread
interface EngineSource {
  /**
   * An engine of a client, for a handler that treats it as one of the JDK's: a record at a time.
   * Who asks for it releases it, where it is counted by references; a handler does.
   *
   * @param serverName to ask for; empty for none
   * @param buffers for what the library's own needs
   */
  SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers);
}
