import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;

/**
 * An API server of Kubernetes for the training of start-up caches. The server speaks HTTP/2, as
 * real API servers do, and answers the first request of a connection with an EndpointSlice. One of
 * its endpoints is ready, the given port on loopback. Each later request is a watch, on which one
 * more endpoint is sent. Before the server accepts connections, it writes a kubeconfig with its
 * address to the folder.
 *
 * <pre>java TrainingApiServer.java FOLDER PORT</pre>
 */
public final class TrainingApiServer {
  private static final String SLICE =
      """
      {"metadata":{"name":"greeter-1","namespace":"training","resourceVersion":"1",
       "labels":{"kubernetes.io/service-name":"greeter"}},"addressType":"IPv4",
       "ports":[{"name":"grpc","port":%s,"protocol":"TCP"}],
       "endpoints":[{"addresses":["127.0.0.1"],"conditions":{"ready":true},"zone":"a"}%s]}
      """;

  private static final String DRAINING =
      """
      ,{"addresses":["127.0.1.%d"],"conditions":{"ready":false,"serving":true,"terminating":true}}
      """;

  private static final int MANY = 100; // a large cluster

  private static final String PASSWORD = "training";

  private static final int PREFACE = 24; // bytes
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int SETTINGS = 4;
  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;
  private static final int FIRST = 1; // stream

  /** {@code :status 200} and, with Huffman coding, {@code content-type: application/json}. */
  private static final byte[] OK_JSON = HexFormat.of().parseHex("885f8b1d75d0620d263d4c7441ea");

  private TrainingApiServer() {}

  public static void main(String[] args)
      throws IOException, GeneralSecurityException, InterruptedException {
    Path folder = Path.of(args[0]);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(store(folder.resolve("api.p12")))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    byte[] authority = keys.getCertificate("ca").getEncoded();
    keys.deleteEntry("ca"); // this server must not serve with it
    var managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);

    byte[] list =
        bytes("{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}", slice(args[1], MANY));
    byte[] event = bytes("{\"type\":\"MODIFIED\",\"object\":%s}\n", slice(args[1], MANY + 1));
    var port =
        (SSLServerSocket)
            tls.getServerSocketFactory().createServerSocket(0, 0, InetAddress.getLoopbackAddress());
    SSLParameters parameters = port.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    port.setSSLParameters(parameters);
    writeKubeconfig(folder.resolve("kubeconfig"), port.getLocalPort(), authority);
    while (true) {
      Socket accepted = port.accept();
      new Thread(() -> serve(accepted, list, event)).start();
    }
  }

  private static String slice(String port, int draining) {
    var more = new StringBuilder();
    for (int i = 0; i < draining; i++) {
      more.append(DRAINING.formatted(i));
    }
    return SLICE.formatted(port, more).replace("\n", "");
  }

  private static byte[] bytes(String form, String slice) {
    return form.formatted(slice).getBytes(StandardCharsets.UTF_8);
  }

  private static void serve(Socket socket, byte[] list, byte[] event) {
    try (socket) {
      var in = new DataInputStream(socket.getInputStream());
      in.skipNBytes(PREFACE);
      send(socket, SETTINGS, 0, 0);
      while (true) {
        int lengthAndType = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        in.skipNBytes(lengthAndType >>> 8);
        int type = lengthAndType & 0xff;
        if (type == SETTINGS && (flags & ACK) == 0) {
          send(socket, SETTINGS, ACK, 0);
        } else if (type == HEADERS) {
          send(socket, HEADERS, END_HEADERS, stream, OK_JSON);
          boolean isFirst = stream == FIRST;
          send(socket, DATA, isFirst ? END_STREAM : 0, stream, isFirst ? list : event);
        }
      }
    } catch (IOException ended) {
      return; // the client is gone
    }
  }

  private static void send(Socket socket, int type, int flags, int stream, byte... payload)
      throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.putInt(payload.length << 8 | type).put((byte) flags).putInt(stream).put(payload);
    socket.getOutputStream().write(frame.array());
  }

  /** Authority and server have keys of two kinds, so that the cache has the classes of both. */
  private static Path store(Path file) throws IOException, InterruptedException {
    Files.deleteIfExists(file);
    generateKey(file, "ca", "EC", "-ext", "bc:critical=ca:true", "-ext", "ku=keyCertSign");
    generateKey(
        file, "api", "RSA", "-signer", "ca", "-ext", "san=ip:127.0.0.1,dns:kubernetes", "-ext",
        "ku:critical=digitalSignature,keyEncipherment", "-ext", "eku=serverAuth");
    return file;
  }

  private static void generateKey(Path store, String name, String kind, String... options)
      throws IOException, InterruptedException {
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    List<String> command =
        new ArrayList<>(
            List.of(
                keytool, "-genkeypair", "-keystore", store.toString(), "-storetype", "PKCS12",
                "-storepass", PASSWORD, "-alias", name, "-keyalg", kind, "-dname", "CN=" + name));
    command.addAll(List.of(options));
    new ProcessBuilder(command).inheritIO().start().waitFor();
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
}
