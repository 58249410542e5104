package io.outrigger.endtoend;

import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A TLS server that does all that is right in the handshake, and then as a test wants. */
final class HostileServer {
  /** What is done with a client after the handshake. */
  interface Treatment {
    void treat(SSLSocket client) throws IOException;
  }

  private HostileServer() {}

  /** One that is {@code identity} and agrees to HTTP/2. */
  static AcceptingPort secured(TestIdentity identity, String protocol, Treatment treatment) {
    SSLContext context = context(identity);
    return new AcceptingPort(
        client -> {
          var secure =
              (SSLSocket)
                  context.getSocketFactory().createSocket(client, null, client.getPort(), true);
          secure.setUseClientMode(false);
          var parameters = secure.getSSLParameters();
          parameters.setApplicationProtocols(new String[] {"h2"});
          parameters.setProtocols(new String[] {protocol});
          secure.setSSLParameters(parameters);
          secure.startHandshake();
          treatment.treat(secure);
        });
  }

  private static SSLContext context(TestIdentity identity) {
    try {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(null, null);
      keys.setKeyEntry(
          "server", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
      KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
      factory.init(keys, new char[0]);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(factory.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }
}
