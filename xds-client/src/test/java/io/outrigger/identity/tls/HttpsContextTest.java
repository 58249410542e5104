package io.outrigger.identity.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.outrigger.identity.certificate.Identity;
import io.outrigger.identity.certificate.IdentityKeyManager;
import io.outrigger.identity.certificate.Roots;
import io.outrigger.identity.certificate.TlsMaterial;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTPS of the JDK, each response of whose server ends the connection. */
class HttpsContextTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestAuthority STRANGER = TestAuthority.named("stranger");

  private static HttpsServer server(String version) throws Exception {
    TestIdentity issued = AUTHORITY.issue("ip:127.0.0.1");
    SSLContext context = SSLContext.getInstance("TLS");
    var keys = new IdentityKeyManager(new Identity(issued.chain(), issued.key()));
    context.init(new KeyManager[] {keys}, null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            var ours = new SSLParameters();
            ours.setProtocols(new String[] {version});
            parameters.setSSLParameters(ours);
          }
        });
    server.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("connection", "close");
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  /** A session that was resumed at once would be one that the new roots have not verified. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void everyConnectionIsVerifiedWithTheNewestRoots(String version) throws Exception {
    var trusted = new AtomicReference<>(AUTHORITY);
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .sslContext(
                HttpsContext.of(
                    settings ->
                        new TlsMaterial(
                            settings,
                            Optional.empty(),
                            new Roots.Authorities(List.of(trusted.get().root())))))
            .build();
    HttpsServer server = server(version);
    try {
      HttpResponse<Void> first = get(client, server);
      assertThat(first.sslSession().orElseThrow().getProtocol()).isEqualTo(version);

      trusted.set(STRANGER);

      assertThatThrownBy(() -> get(client, server))
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("does not lead to a root");
    } finally {
      server.stop(0);
    }
  }

  private static HttpResponse<Void> get(HttpClient client, HttpsServer server)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.getAddress().getPort()))
            .build(),
        HttpResponse.BodyHandlers.discarding());
  }
}
