import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * An API server of Kubernetes for the training of start-up caches: it lists one EndpointSlice, and
 * its watches tell nothing. The endpoint has the given port on loopback. Once it serves, the folder
 * has a kubeconfig for it.
 *
 * <pre>java TrainingApiServer.java FOLDER PORT</pre>
 */
public final class TrainingApiServer {
  private static final String SLICES =
      """
      {"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"greeter-1","namespace":"training",
       "resourceVersion":"1","labels":{"kubernetes.io/service-name":"greeter"}},"addressType":"IPv4",
       "ports":[{"name":"grpc","port":%s,"protocol":"TCP"}],
       "endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":true},"zone":"a"}]}]}
      """;

  private static final String PASSWORD = "training";

  private TrainingApiServer() {}

  public static void main(String[] args)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path folder = Path.of(args[0]);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(store(folder.resolve("api.p12")))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    var managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);

    byte[] slices = SLICES.formatted(args[1]).getBytes(StandardCharsets.UTF_8);
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
          exchange.getResponseBody().write(slices);
          exchange.close();
        });
    server.start();
    writeKubeconfig(
        folder.resolve("kubeconfig"),
        server.getAddress().getPort(),
        keys.getCertificate("api").getEncoded());
  }

  private static Path store(Path file) throws IOException, InterruptedException {
    Files.deleteIfExists(file);
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command =
        List.of(
            keytool, "-genkeypair", "-keystore", file.toString(), "-storetype", "PKCS12",
            "-storepass", PASSWORD, "-alias", "api", "-keyalg", "EC", "-dname", "CN=api",
            "-ext", "san=ip:127.0.0.1");
    new ProcessBuilder(command).inheritIO().start().waitFor();
    return file;
  }

  private static void writeKubeconfig(Path file, int port, byte[] certificate) throws IOException {
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(certificate)
            + "\n-----END CERTIFICATE-----\n";
    String text =
        """
        {current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
         users: [{name: u, user: {token: training}}],
         clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d",
           certificate-authority-data: %s}}]}
        """
            .formatted(
                port, Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)));
    Path unfinished = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), text);
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void waitForever() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
