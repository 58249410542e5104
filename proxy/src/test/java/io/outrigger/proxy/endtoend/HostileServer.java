package io.outrigger.proxy.endtoend;

import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A server that treats each of its clients as a test wants. */
final class HostileServer implements AutoCloseable {
  /** How a client is treated, on a thread of its own. */
  interface Treatment {
    void treat(Socket client) throws IOException;
  }

  /** The same after a handshake in which it does all that is right. */
  interface SecureTreatment {
    void treat(SSLSocket client) throws IOException;
  }

  private final ServerSocket server;
  private final Treatment treatment;
  private final List<Socket> clients = new CopyOnWriteArrayList<>();

  HostileServer(Treatment treatment) {
    this.treatment = treatment;
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    HttpProxy.daemon(this::accept);
  }

  /** One that is {@code identity} and agrees to HTTP/2. */
  static HostileServer secured(TestIdentity identity, String protocol, SecureTreatment treatment) {
    SSLContext context = context(identity);
    return new HostileServer(
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

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        clients.add(client);
        HttpProxy.daemon(
            () -> {
              try {
                treatment.treat(client);
              } catch (IOException gone) {
                return; // the client had enough
              }
            });
      }
    } catch (IOException closed) {
      return; // the end of the test
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket client : clients) {
      client.close();
    }
  }
}
