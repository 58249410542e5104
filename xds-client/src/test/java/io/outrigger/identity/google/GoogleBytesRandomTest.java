package io.outrigger.identity.google;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.identity.token.NoToken;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import io.outrigger.testing.TestAuthority;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Key files and answers of token servers: any bytes are read, or there is {@link NoToken}. */
class GoogleBytesRandomTest {
  private static final int RUNS = 200;

  @TempDir static Path folder;

  static Stream<Case> readers() {
    String key =
        TestAuthority.named("root")
            .issue(builder -> builder.algorithm(Algorithm.rsa2048))
            .keyPem()
            .replace("\n", "\\n");
    return Stream.of(
        of(
            "key file",
            bytes -> {
              Path file = Files.write(folder.resolve("key.json"), bytes);
              AccountReader.read(Map.of(AccountReader.FILE_VARIABLE, file.toString()))
                  .request(Instant.EPOCH);
            },
            """
            {"type": "service_account", "client_email": "a@b", "private_key_id": "1",
             "private_key": "KEY", "token_uri": "https://oauth2.googleapis.com/token"}
            """
                .replace("KEY", key)),
        of(
            "name of a metadata server",
            bytes ->
                AccountReader.read(Map.of(AccountReader.HOST_VARIABLE, new String(bytes, UTF_8)))
                    .request(Instant.EPOCH),
            "metadata.google.internal",
            "127.0.0.1:8080",
            "[fd20:ce::254]:80"),
        of(
            "answer",
            bytes -> TokenAnswer.read(new Account.MetadataServer("a"), new Answer(200, bytes)),
            "{\"access_token\": \"ya29.a\", \"expires_in\": 3599, \"token_type\": \"Bearer\"}"),
        of(
            "refusal",
            bytes -> {
              try {
                TokenAnswer.read(new Account.MetadataServer("a"), new Answer(400, bytes));
              } catch (NoToken expected) {
                // whatever the body is
              }
            },
            "{\"error\": \"invalid_grant\", \"error_description\": \"Bad request\"}"));
  }

  private static Case of(String name, ForeignBytes.Reader reader, String... samples) {
    Shape shape = samples[0].startsWith("{") ? Shape.JSON : Shape.BYTES;
    return Case.ofText(name, NoToken.class, reader, shape, samples);
  }

  @ParameterizedTest
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }

  /** Of a metadata server, with that body. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Answer(int statusCode, byte[] body) implements HttpResponse<byte[]> {
    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of("Metadata-Flavor", List.of("Google")), (name, value) -> true);
    }

    @Override
    public HttpRequest request() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<HttpResponse<byte[]>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public Optional<SSLSession> sslSession() {
      return Optional.empty();
    }

    @Override
    public URI uri() {
      return URI.create("http://a/");
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }
}
