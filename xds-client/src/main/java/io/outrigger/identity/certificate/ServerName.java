package io.outrigger.identity.certificate;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.StandardConstants;
import org.jspecify.annotations.Nullable;

/**
 * The server name of a handshake (SNI), sent unchanged (A101). The JDK's own type rejects names
 * with an underscore, such as istio's {@code outbound_.80_._.pay.svc}.
 */
public final class ServerName extends SNIServerName {
  public ServerName(String name) {
    super(StandardConstants.SNI_HOST_NAME, name.getBytes(StandardCharsets.UTF_8));
  }

  static Optional<String> of(SSLEngine engine) {
    @Nullable List<SNIServerName> names = engine.getSSLParameters().getServerNames();
    return names == null || names.isEmpty()
        ? Optional.empty()
        : Optional.of(new String(names.get(0).getEncoded(), StandardCharsets.UTF_8));
  }
}
