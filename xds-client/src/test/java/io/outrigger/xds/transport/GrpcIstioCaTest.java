package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.IstioCaServer;
import io.outrigger.xds.testing.Jwt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Conformance("IST-05")
class GrpcIstioCaTest {
  private static final TestAuthority MESH = TestAuthority.named("mesh root");
  private static final TestAuthority OTHERS = TestAuthority.named("others");
  private static final TestIdentity ISTIOD = MESH.issue("ip:127.0.0.1");
  private static final String CSR = // made by this program; the CA of this test does not read it
      "a signing request for ";

  @TempDir private Path folder;
  private Path token = Path.of("");
  private Path roots = Path.of("");
  private final IstioCaServer server = new IstioCaServer(ISTIOD);

  @BeforeEach
  void write() throws IOException {
    token = Files.writeString(folder.resolve("token"), jwt(Instant.now().plusSeconds(60)) + "\n");
    roots = Files.writeString(folder.resolve("root.pem"), MESH.rootPem());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static String jwt(Instant end) {
    return Jwt.of("{\"exp\":" + end.getEpochSecond() + "}");
  }

  private IstioCa ca(String address) {
    return new IstioCa(
        address,
        roots.toString(),
        token.toString(),
        Optional.of("Kubernetes"),
        Duration.ofHours(24),
        Optional.of("signers.example/mesh"),
        "td");
  }

  private Outcome<List<String>> sign(IstioCa ca) throws Exception {
    var answer = new CompletableFuture<Outcome<List<String>>>();
    new GrpcIstioCa().sign(ca, name -> CSR + name.orElse("none"), Instant.now(), answer::complete);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private String refusal() throws Exception {
    return sign(ca(server.address())).status().message();
  }

  @Test
  void aRequestSaysWhoAsksAndForWhat() throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));

    assertThat(sign(ca(server.address())).toOptional()).hasValue(List.of("leaf", "roots"));

    IstioCaServer.Request request = server.requests().get(0);
    assertThat(request.authorization()).isEqualTo("Bearer " + Files.readString(token).strip());
    assertThat(request.clusterId()).isEqualTo("Kubernetes");
    assertThat(request.csr()).isEqualTo(CSR + "none");
    assertThat(request.validitySeconds()).isEqualTo(86_400);
    assertThat(request.metadata()).contains("CertSigner", "signers.example/mesh");
  }

  @Test
  void whatIsNotConfiguredIsNotSent() throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));
    IstioCa whole = ca(server.address());
    var bare =
        new IstioCa(
            whole.address(),
            whole.rootFile(),
            whole.tokenFile(),
            Optional.empty(),
            whole.validity(),
            Optional.empty(),
            "td");

    assertThat(sign(bare).isOk()).isTrue();
    assertThat(server.requests().get(0).clusterId()).isNull();
    assertThat(server.requests().get(0).metadata()).isEmpty();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "system:serviceaccount:shop:cart, spiffe://td/ns/shop/sa/cart",
    "system:serviceaccount:shop:a/sa/b, none",
    "system:serviceaccount:shop, none",
    "somebody, none"
  })
  void aServiceAccountIsNamedInTheRequest(String subject, String name) throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));
    Files.writeString(token, Jwt.of("{\"sub\":\"" + subject + "\"}"));

    assertThat(sign(ca(server.address())).isOk()).isTrue();

    assertThat(server.requests().get(0).csr()).isEqualTo(CSR + name);
  }

  @Test
  void tokenAndRootsAreReadAnewEachTime() throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));
    assertThat(sign(ca(server.address())).isOk()).isTrue();
    server.kill();
    server.revive(OTHERS.issue("ip:127.0.0.1"));
    assertThat(refusal())
        .startsWith("the CA " + server.address() + ": UNAVAILABLE: certificate verify failed");
    Files.writeString(roots, OTHERS.rootPem());
    String next = jwt(Instant.now().plusSeconds(90));
    Files.writeString(token, next);

    assertThat(sign(ca(server.address())).isOk()).isTrue();
    assertThat(server.requests().get(1).authorization()).isEqualTo("Bearer " + next);
  }

  @Test
  void aTokenThatIsNoJwtIsSent() throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));
    Files.writeString(token, "opaque");

    assertThat(sign(ca(server.address())).isOk()).isTrue();
    assertThat(server.requests().get(0).authorization()).isEqualTo("Bearer opaque");
  }

  @Test
  void aMissingTokenIsNamedAndNothingIsSent() throws Exception {
    Files.delete(token);

    assertThat(refusal()).isEqualTo("token_file " + token + " does not exist");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void anExpiredTokenIsNamedAndNothingIsSent() throws Exception {
    Files.writeString(token, jwt(Instant.ofEpochSecond(1_700_000_000)));

    assertThat(refusal()).isEqualTo("token_file " + token + " has expired at 2023-11-14T22:13:20Z");
    assertThat(server.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "two words", "line\nline", "\u00e9"})
  void whatCannotBeATokenIsNotQuoted(String text) throws Exception {
    Files.writeString(token, text);

    assertThat(refusal()).startsWith("token_file " + token + " is empty, or no token");
  }

  @Test
  void missingRootsAreNamed() throws Exception {
    Files.delete(roots);

    assertThat(refusal()).isEqualTo("ca_root_file " + roots + " does not exist");
  }

  @Test
  void aRefusedTokenSaysWhatToLookAt() throws Exception {
    server.refusing(Status.UNAUTHENTICATED.withDescription("request authenticate failure"));

    assertThat(refusal())
        .isEqualTo(
            "the CA "
                + server.address()
                + ": UNAUTHENTICATED: request authenticate failure; the token's audience, its"
                + " service account and cluster_id must be known to it")
        .doesNotContain(Files.readString(token).strip());
  }

  @Test
  void aCaThatIsNotThereIsNamed() throws Exception {
    try (var port = RefusingPort.any()) {
      assertThat(sign(ca("127.0.0.1:" + port.number())).status())
          .extracting(RpcStatus::message)
          .asString()
          .startsWith("the CA 127.0.0.1:" + port.number() + ": UNAVAILABLE: ")
          .contains("refused");
    }
  }

  @Test
  void anAnswerThatIsNoMessageIsAnError() throws Exception {
    server.answering(request -> new byte[] {(byte) 0xff, 1});

    assertThat(refusal())
        .startsWith("the CA " + server.address() + ": INTERNAL: Invalid protobuf byte sequence");
  }

  @Test
  void anAddressThatIsNoTargetIsAnError() throws Exception {
    assertThat(sign(ca("nonsense://x")).isOk()).isFalse();
  }

  @Test
  void aCheckNamesWhatWouldFail() throws Exception {
    List<String> errors = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    GrpcIstioCa.check(ca("istiod:15012"), Instant.now(), errors::add, warnings::add);
    assertThat(errors).isEmpty();
    assertThat(warnings).isEmpty();

    Files.delete(token);
    Instant later = Instant.now().plus(Duration.ofDays(400));
    GrpcIstioCa.check(ca("nonsense://x"), later, errors::add, warnings::add);
    assertThat(errors).hasSize(2);
    assertThat(errors.get(0)).contains("the root CN=mesh root has expired");
    assertThat(errors.get(1)).startsWith("ca_address: ");
    assertThat(warnings).containsExactly("token_file " + token + " does not exist");
  }

  @Test
  void requestsLeaveNothingBehind() throws Exception {
    server.answering(request -> IstioCaServer.response("leaf", "roots"));
    long before = 0;
    for (int i = 0; i < 300; i++) {
      if (i == 50) { // what is loaded once is loaded
        before = used();
      }
      assertThat(sign(ca(server.address())).isOk()).isTrue();
    }
    int asked = server.requests().size();
    server.requests().clear();

    assertThat(asked).isEqualTo(300);
    long limit = before + (1 << 20); // 4 KiB per request; a channel has more
    Await.until("connections have ended", () -> used() < limit);
  }

  private static long used() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      least =
          Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return least;
  }
}
