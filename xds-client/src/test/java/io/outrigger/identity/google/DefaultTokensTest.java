package io.outrigger.identity.google;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.outrigger.identity.token.AccessToken;
import io.outrigger.identity.token.NoToken;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tokens from real servers on loopback, good and bad ones, and the files that say where. */
class DefaultTokensTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final TestAuthority AUTHORITY = TestAuthority.named("system root");
  private static final char[] NO_PASSWORD = {};
  private static final String TOKEN = "ya29.c.b0Aaekm1K-the_secret~of/the+account==";

  private static final KeyPair KEYS = generated();

  @TempDir private Path folder;
  private final List<Runnable> closing = new ArrayList<>();

  /** One request as a server saw it. */
  private record Seen(String line, Headers headers, String body) {
    static Seen of(HttpExchange exchange) {
      try {
        return new Seen(
            exchange.getRequestMethod() + " " + exchange.getRequestURI(),
            exchange.getRequestHeaders(),
            new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Map<String, String> form() {
      Map<String, String> fields = new TreeMap<>();
      for (String field : body.split("&", -1)) {
        int equals = field.indexOf('=');
        fields.put(
            field.substring(0, equals), URLDecoder.decode(field.substring(equals + 1), UTF_8));
      }
      return fields;
    }
  }

  private interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private static KeyPair generated() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    closing.forEach(Runnable::run);
  }

  /** Answers all requests in the same way; the requests go to {@code seen}. */
  private InetSocketAddress listen(HttpServer server, BlockingQueue<Seen> seen, Answer answer) {
    ExecutorService threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          seen.add(Seen.of(exchange));
          answer.to(exchange);
        });
    server.start();
    closing.add(() -> server.stop(0));
    closing.add(threads::shutdownNow);
    return server.getAddress();
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private String metadataServer(BlockingQueue<Seen> seen, Answer answer) throws IOException {
    return "127.0.0.1:" + listen(HttpServer.create(loopback(), 0), seen, answer).getPort();
  }

  private String tokenServer(BlockingQueue<Seen> seen, Answer answer, String... names)
      throws Exception {
    HttpsServer server = HttpsServer.create(loopback(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(AUTHORITY.issue(names).serverContext()));
    return "https://127.0.0.1:" + listen(server, seen, answer).getPort() + "/token";
  }

  private static SSLContext trust() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    store.setCertificateEntry("root", AUTHORITY.root());
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private CompletableFuture<AccessToken> fetch(Map<String, String> environment) throws Exception {
    var tokens = new DefaultTokens(environment, trust());
    closing.add(tokens::close);
    return tokens.fetch(NOW);
  }

  private AccessToken token(Map<String, String> environment) throws Exception {
    return fetch(environment).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private String failure(Map<String, String> environment) throws Exception {
    try {
      return "a token: " + token(environment);
    } catch (ExecutionException e) {
      assertThat(e).hasCauseInstanceOf(NoToken.class);
      return String.valueOf(e.getCause().getMessage());
    }
  }

  private static Answer answer(int status, String flavor, String body) {
    return exchange -> {
      if (!flavor.isEmpty()) {
        exchange.getResponseHeaders().add("Metadata-Flavor", flavor);
      }
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    };
  }

  private static String good(String token) {
    return "{\"access_token\":\"%s\",\"expires_in\":3599,\"token_type\":\"Bearer\"}"
        .formatted(token);
  }

  private String write(String json) throws IOException {
    return Files.writeString(folder.resolve("key.json"), json).toString();
  }

  private static JsonObject serviceAccount(String tokenUri) {
    var json = new JsonObject();
    json.addProperty("type", "service_account");
    json.addProperty("project_id", "p");
    json.addProperty("private_key_id", "key-1");
    json.addProperty(
        "private_key", TestIdentity.pem("PRIVATE KEY", KEYS.getPrivate().getEncoded()));
    json.addProperty("client_email", "mesh@p.iam.gserviceaccount.com");
    json.addProperty("token_uri", tokenUri);
    return json;
  }

  private static JsonObject json(String base64) {
    return JsonParser.parseString(new String(Base64.getUrlDecoder().decode(base64), UTF_8))
        .getAsJsonObject();
  }

  @Test
  @Conformance("DI-05")
  void theMetadataServerIsAskedAsItWantsToBe() throws Exception {
    BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    String host = metadataServer(seen, answer(200, "Google", good(TOKEN)));

    AccessToken token = token(Map.of("GCE_METADATA_HOST", host));

    assertThat(token).isEqualTo(new AccessToken(TOKEN, Duration.ofSeconds(3599)));
    assertThat(token.toString()).doesNotContain("secret");
    Seen request = seen.remove();
    assertThat(request.line())
        .isEqualTo(
            "GET /computeMetadata/v1/instance/service-accounts/default/token"
                + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform");
    assertThat(request.headers().get("Metadata-Flavor")).containsExactly("Google");
  }

  @ParameterizedTest(name = "{0} {1} {2} -> {3}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "200 | `` | {\"access_token\":\"secret\",\"expires_in\":3599} | is no metadata server",
        "200 | Google | <html>sign in</html> | answered something that is not a JSON object",
        "200 | Google | [] | answered something that is not a JSON object",
        "200 | Google | {\"expires_in\":3599} | answered without a usable access_token",
        "200 | Google | {\"access_token\":\"a\\r\\nb: secret\",\"expires_in\":3599}"
            + " | answered without a usable access_token",
        "200 | Google | {\"access_token\":\"secret\"} | answered a token without expires_in",
        "200 | Google | {\"access_token\":\"secret\",\"expires_in\":0} | token that ends in 0 s",
        "200 | Google | {\"access_token\":\"secret\",\"expires_in\":-5} | token that ends in -5 s",
        "200 | Google | {\"access_token\":\"secret\",\"expires_in\":0} | token that ends in 0 s",
        "200 | Google | {\"access_token\":\"secret\",\"expires_in\":9,\"token_type\":\"mac\"}"
            + " | is not of type Bearer",
        "404 | Google | no such account | answered 404",
        "503 | Google | {\"error\":\"busy\",\"error_description\":\"try again\"}"
            + " | answered 503 busy: try again",
        "400 | Google | {\"error\":\"bad\",\"error_description\":\"not secretsecretsecretsecret.x\"}"
            + " | answered 400 bad: not …",
        "302 | Google | moved | answered 302",
      })
  @Conformance("DI-05")
  void whatIsNoTokenIsToldAndNothingSecretIsQuoted(
      int status, String flavor, String body, String expected) throws Exception {
    String host = metadataServer(new LinkedBlockingQueue<>(), answer(status, flavor, body));

    String failure = failure(Map.of("GCE_METADATA_HOST", host));

    assertThat(failure).startsWith(host + " ").contains(expected).doesNotContain("secret");
  }

  @Test
  @Conformance("DI-05")
  void aHundredMegabytesAreNotRead() throws Exception {
    var written = new CompletableFuture<Long>();
    String host =
        metadataServer(
            new LinkedBlockingQueue<>(),
            exchange -> {
              exchange.getResponseHeaders().add("Metadata-Flavor", "Google");
              exchange.sendResponseHeaders(200, 100 << 20);
              long sent = 0;
              try (OutputStream out = exchange.getResponseBody()) {
                for (; sent < 100 << 20; sent += 1 << 16) {
                  out.write(new byte[1 << 16]);
                }
              } catch (IOException brokenOff) {
                written.complete(sent);
              }
            });

    assertThat(failure(Map.of("GCE_METADATA_HOST", host)))
        .contains("its answer is longer than 64 KiB");
    assertThat(written.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isLessThan(100 << 20);
  }

  @Test
  @Conformance("DI-05")
  void aServerThatNeverEndsItsAnswerIsLeftWhenTheFetchIsCancelled() throws Exception {
    try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String host = "127.0.0.1:" + server.getLocalPort();
      CompletableFuture<AccessToken> fetch = fetch(Map.of("GCE_METADATA_HOST", host));
      try (Socket connection = server.accept()) {
        connection.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        var request =
            new BufferedReader(new InputStreamReader(connection.getInputStream(), ISO_8859_1));
        assertThat(request.lines().takeWhile(line -> !line.isEmpty())).isNotEmpty();
        connection
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".getBytes(ISO_8859_1));
        assertThat(fetch).isNotDone();

        fetch.cancel(true);

        assertThat(ended(request)).as("the connection ended").isTrue();
      }
    }
  }

  /** A reset is an end too: the kernel sends one where the client had not read all bytes. */
  private static boolean ended(BufferedReader peer) throws IOException {
    try {
      return peer.read() == -1;
    } catch (SocketTimeoutException stillOpen) {
      return false;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  @Conformance("DI-05")
  void aServerThatIsNotThereIsNamed() throws Exception {
    try (var refusing = RefusingPort.any()) {
      String absent = "127.0.0.1:" + refusing.number();

      assertThat(failure(Map.of("GCE_METADATA_HOST", absent)))
          .isEqualTo(absent + " cannot be reached");
    }
  }

  @Test
  @Conformance("DI-05")
  void aServiceAccountSignsWhatItAsksFor() throws Exception {
    BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    String uri = tokenServer(seen, answer(200, "", good(TOKEN)), "ip:127.0.0.1");
    String file = write(serviceAccount(uri).toString());

    assertThat(token(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file)).text()).isEqualTo(TOKEN);

    Seen request = seen.remove();
    assertThat(request.line()).isEqualTo("POST /token");
    assertThat(request.headers().getFirst("content-type"))
        .isEqualTo("application/x-www-form-urlencoded");
    assertThat(request.form())
        .containsOnlyKeys("assertion", "grant_type")
        .containsEntry("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
    String[] parts = request.form().get("assertion").split("\\.", -1);
    assertThat(json(parts[0]))
        .isEqualTo(JsonParser.parseString("{'alg':'RS256','typ':'JWT','kid':'key-1'}"));
    long second = NOW.getEpochSecond();
    JsonObject claims = json(parts[1]);
    assertThat(claims.get("iss").getAsString()).isEqualTo("mesh@p.iam.gserviceaccount.com");
    assertThat(claims.get("aud").getAsString()).isEqualTo(uri);
    assertThat(claims.get("scope").getAsString())
        .isEqualTo("https://www.googleapis.com/auth/cloud-platform");
    assertThat(claims.get("iat").getAsLong()).isEqualTo(second);
    assertThat(claims.get("exp").getAsLong()).isEqualTo(second + 3600);
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initVerify(KEYS.getPublic());
    signature.update((parts[0] + "." + parts[1]).getBytes(UTF_8));
    assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
  }

  @Test
  @Conformance("DI-05")
  void aKeyFileThatIsReplacedCountsForTheNextToken() throws Exception {
    BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    String uri = tokenServer(seen, answer(200, "", good("a")), "ip:127.0.0.1");
    String file = write("{}");
    var tokens = new DefaultTokens(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file), trust());
    closing.add(tokens::close);
    assertThatThrownBy(() -> tokens.fetch(NOW).get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .hasMessageContaining("$.type is missing");

    write(serviceAccount(uri).toString());

    assertThat(tokens.fetch(NOW).get(PATIENCE_SECONDS, TimeUnit.SECONDS).text()).isEqualTo("a");
  }

  @Test
  @Conformance("DI-05")
  void aTokenServerThatIsNotTrustedGetsNothing() throws Exception {
    BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    String uri = tokenServer(seen, answer(200, "", good("a")), "dns:another.example");
    String file = write(serviceAccount(uri).toString());

    assertThat(failure(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file)))
        .contains("failed: ", "127.0.0.1");
    assertThat(seen).isEmpty();
  }

  @ParameterizedTest(name = "{0} = {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "type | null | $.type is missing",
        "type | \"authorized_user\" | $.type \"authorized_user\" is not supported; give the key of",
        "type | \"external_account\" | $.type \"external_account\" is not supported; give the key of",
        "client_email | null | $.client_email is missing",
        "client_email | 7 | $.client_email is not a text",
        "private_key_id | \"\" | $.private_key_id is not a text",
        "private_key | \"secret\" | $.private_key is not an RSA key in PEM",
        "token_uri | \"http://127.0.0.1/token\" | $.token_uri is not an https URI",
        "token_uri | \"https://a:99999/token\" | $.token_uri is not an https URI",
        "token_uri | \"secret \" | $.token_uri is not an https URI",
      })
  @Conformance("DI-05")
  void aWrongFileIsNamedWithThePlace(String name, String value, String expected) throws Exception {
    JsonObject json = serviceAccount("https://127.0.0.1/token");
    json.add(name, JsonParser.parseString(value));
    String file = write(json.toString());

    assertThatThrownBy(
            () -> DefaultTokens.requireUsable(Map.of("GOOGLE_APPLICATION_CREDENTIALS", file)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("GOOGLE_APPLICATION_CREDENTIALS " + file + " cannot be used: ")
        .hasMessageContaining(expected)
        .hasMessageNotContaining("secret");
  }

  @Test
  @Conformance("DI-05")
  void whatIsNoFileOrNoHostIsNamed() throws Exception {
    String absent = folder.resolve("absent.json").toString();
    String html = write("<html>secret</html>");

    assertThat(refused("GOOGLE_APPLICATION_CREDENTIALS", absent))
        .isEqualTo("GOOGLE_APPLICATION_CREDENTIALS " + absent + " does not exist");
    assertThat(refused("GOOGLE_APPLICATION_CREDENTIALS", html))
        .isEqualTo("GOOGLE_APPLICATION_CREDENTIALS " + html + " is not a JSON object");
    for (String host :
        List.of(
            "http://metadata",
            "a/b",
            "a b",
            "user@host",
            "host:x",
            "-:1",
            "127.0.0.1:99999",
            "host:0",
            "[::1]:65536")) {
      assertThat(refused("GCE_METADATA_HOST", host))
          .isEqualTo("GCE_METADATA_HOST: \"" + host + "\" is not HOST or HOST:PORT");
    }
    DefaultTokens.requireUsable(Map.of("GCE_METADATA_HOST", "[fd20:ce::254]:80"));
    DefaultTokens.requireUsable(Map.of("GOOGLE_APPLICATION_CREDENTIALS", ""));
  }

  private static String refused(String variable, String value) {
    try {
      DefaultTokens.requireUsable(Map.of(variable, value));
      return "accepted";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  @Conformance("DI-05")
  void accountsDoNotShowTheirSecrets() throws Exception {
    Account service =
        AccountReader.read(
            Map.of(
                "GOOGLE_APPLICATION_CREDENTIALS",
                write(serviceAccount("https://127.0.0.1/token").toString())));

    assertThat(service).hasToString("service account mesh@p.iam.gserviceaccount.com");
  }
}
