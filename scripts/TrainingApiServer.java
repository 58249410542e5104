import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An API server of Kubernetes for scripts/build: it lists one EndpointSlice, and its watches tell
 * nothing. It prints its port.
 *
 * <pre>java TrainingApiServer.java KEYSTORE PASSWORD</pre>
 */
public final class TrainingApiServer {
  private static final String SLICES =
      """
      {"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"greeter-1","namespace":"training",
       "resourceVersion":"1","labels":{"kubernetes.io/service-name":"greeter"}},"addressType":"IPv4",
       "ports":[{"name":"grpc","port":1,"protocol":"TCP"}],
       "endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":true},"zone":"a"}]}]}
      """;

  private TrainingApiServer() {}

  public static void main(String[] args) throws IOException, GeneralSecurityException {
    char[] password = args[1].toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(Path.of(args[0]))) {
      keys.load(in, password);
    }
    var managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, password);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);

    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          if (exchange.getRequestURI().getQuery().contains("watch=true")) {
            exchange.getResponseBody().flush();
            waitForever();
          }
          exchange.getResponseBody().write(SLICES.getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    server.start();
    System.out.println(server.getAddress().getPort());
  }

  private static void waitForever() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
