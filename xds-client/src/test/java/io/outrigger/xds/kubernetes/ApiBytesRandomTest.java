package io.outrigger.xds.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.identity.tls.ResponseBody;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.ForeignBytes;
import io.outrigger.testing.ForeignBytes.Case;
import io.outrigger.testing.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers of an API server, and kubeconfig files: any bytes are read, or refused as declared. */
class ApiBytesRandomTest {
  private static final int RUNS = 2000;
  private static final String SLICE =
      """
      {"metadata": {"name": "pay-1", "resourceVersion": "7", "labels":\
       {"kubernetes.io/service-name": "pay"}}, "addressType": "IPv4",\
       "ports": [{"name": "grpc", "port": 8080, "protocol": "TCP"}, {"port": 9}],\
       "endpoints": [{"addresses": ["10.0.0.1"], "zone": "a", "targetRef": {"uid": "u"},\
       "conditions": {"ready": true, "serving": true, "terminating": false},\
       "hints": {"forZones": [{"name": "a"}]}}, {"addresses": ["fd00::1"], "conditions": {}}]}\
      """;
  private static final String LIST =
      "{\"metadata\": {\"resourceVersion\": \"9\"}, \"items\": [" + SLICE + "]}";
  private static final String ADDED = "{\"type\": \"ADDED\", \"object\": " + SLICE + "}\n";
  private static final String ERROR =
      "{\"type\": \"ERROR\", \"object\": {\"code\": 410, \"message\": \"too old\"}}\n";
  private static final List<Assignment> ASSIGNMENTS =
      Stream.of("8080", "grpc")
          .map(port -> new Assignment(new ServicePort("pay", "shop", port), Optional.of("a")))
          .toList();

  @TempDir static Path folder;

  static Stream<Case> readers() {
    return Stream.of(
        Case.ofText(
            "a list of slices",
            Void.class,
            bytes -> ApiObject.read(bytes).ifPresent(list -> assign(list.items())),
            Shape.JSON,
            LIST),
        Case.ofText(
            "events of a watch",
            Void.class,
            ApiBytesRandomTest::readEvents,
            Shape.JSON,
            ADDED,
            ERROR),
        Case.ofText(
            "a kubeconfig in YAML",
            Void.class,
            ApiBytesRandomTest::readKubeconfig,
            Shape.BYTES,
            """
            current-context: here
            contexts:
            - {name: here, context: {cluster: c, user: me}}
            clusters:
            - {name: c, cluster: {server: "https://10.0.0.1:6443", certificate-authority: ca}}
            users:
            - {name: me, user: {token: abc, client-certificate-data: YQ==, client-key: key}}
            """),
        Case.ofText(
            "a kubeconfig in JSON",
            Void.class,
            ApiBytesRandomTest::readKubeconfig,
            Shape.JSON,
            """
            {"current-context": "h", "contexts": [{"name": "h", "context": {"cluster": "c"}}],
             "clusters": [{"name": "c", "cluster": {"server": "https://10.0.0.1:6443"}}]}
            """));
  }

  private static void readEvents(byte[] bytes) {
    ResponseBody body = ResponseBody.lines(1 << 20, Runnable::run, ApiBytesRandomTest::readEvent);
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long parts) {}

          @Override
          public void cancel() {}
        });
    body.onNext(List.of(ByteBuffer.wrap(bytes)));
    body.onComplete();
    readEvent(body.getBody().toCompletableFuture().join());
  }

  private static void readEvent(byte[] line) {
    ApiObject.read(line).ifPresent(event -> assign(List.of(event.slice())));
  }

  private static void assign(Collection<EndpointSlice> slices) {
    ASSIGNMENTS.forEach(target -> target.of(slices));
  }

  private static void readKubeconfig(byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve("config"), bytes);
    try {
      assertThat(Kubeconfig.read(file).server().getHost()).isNotEmpty();
    } catch (IllegalArgumentException refused) {
      assertThat(refused).as("names the file").hasMessageStartingWith(file.toString());
    }
  }

  private static ApiObject read(String text) {
    return ApiObject.read(text.getBytes(StandardCharsets.UTF_8)).orElseThrow();
  }

  @Test
  void theSamplesHaveAllThatTheyName() {
    EndpointSlice slice = read(ADDED).slice();
    assertThat(slice.ports()).extracting(EndpointSlice.Port::number).containsExactly(8080, 9);
    assertThat(slice.endpoints())
        .extracting(EndpointSlice.Endpoint::ip)
        .containsExactly("10.0.0.1", "fd00::1");
    assertThat(read(LIST).items()).containsExactly(slice);
    assertThat(read(ERROR).code()).isEqualTo(410);
  }

  @Test
  void hintsWithoutNameAreIgnored() {
    String odd = ADDED.replace("[{\"name\": \"a\"}]", "[null, 7, {}, {\"name\": \"a\"}]");

    assertThat(odd).isNotEqualTo(ADDED);
    assertThat(read(odd)).isEqualTo(read(ADDED));
  }

  @ParameterizedTest
  @Conformance("KN-07")
  @MethodSource("readers")
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void anyBytes(Case reader) {
    ForeignBytes.check(reader, RUNS);
  }
}
