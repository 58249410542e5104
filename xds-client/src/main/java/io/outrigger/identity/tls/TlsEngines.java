package io.outrigger.identity.tls;

import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

/** A TLS library with its settings and certificates; creates one engine for each connection. */
@AnyThread
public interface TlsEngines {
  List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /**
   * Creates an engine that processes one record per call, like the JDK's engines. The engine
   * resumes no session. If the engine is reference-counted, the caller releases it, as Netty's
   * handlers do.
   *
   * @param serverName the name that a client sends as SNI; empty sends none
   */
  SSLEngine engine(Optional<String> serverName, ByteBufAllocator buffers);
}
