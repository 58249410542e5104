package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** A TLS library with settings and certificates: makes one engine for each connection. */
@AnyThread
public interface TlsEngines {
  /** The versions of TLS that are offered, best first. */
  List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /**
   * An engine of a client, for a handler that treats it as one of the JDK's: a record at a time. It
   * resumes no session. The caller releases it where it is counted by references, as handlers do.
   *
   * @param serverName to ask for; empty for none
   * @param buffers for the library's own needs
   */
  SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers);
}
