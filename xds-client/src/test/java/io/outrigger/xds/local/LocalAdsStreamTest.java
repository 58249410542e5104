package io.outrigger.xds.local;

import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static io.outrigger.xds.testing.JsonResources.listener;
import static io.outrigger.xds.testing.JsonResources.socketListener;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Status;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalAdsStreamTest implements AdsTransport.Listener {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final List<String> heard = new ArrayList<>();
  private final ResourceFolder folder;
  private final ResourceDirectory directory;
  private final LocalAdsTransport transport;
  private Optional<ServerStream<DiscoveryRequest>> stream = Optional.empty();

  LocalAdsStreamTest(@TempDir Path temp) {
    folder = new ResourceFolder(temp);
    folder.write("c.json", cluster("a"), cluster("b"));
    folder.write("e.json", endpoints("a", "10.0.0.1"), endpoints("b", "10.0.0.2"));
    directory =
        new ResourceDirectory(
            loop, Runnable::run, List.of(temp), ResourceFiles.read(List.of(temp)));
    transport = directory.transport();
  }

  @BeforeEach
  void start() {
    loop.inside(
        () -> {
          directory.start();
          stream = Optional.of(transport.open(this));
        });
    assertThat(take()).containsExactly("ready");
  }

  private ServerStream<DiscoveryRequest> stream() {
    return stream.orElseThrow();
  }

  @Override
  public void onReady() {
    heard.add("ready");
  }

  /** {@code TYPE: name, …, !missing, broken name}. */
  @Override
  public void onResponse(DiscoveryResponse response) {
    List<String> names = new ArrayList<>();
    response
        .getResourcesList()
        .forEach(
            any ->
                names.add(
                    NamedResource.of(any, Path.of("a.json"), List.of()).orElseThrow().name()));
    response
        .getResourceErrorsList()
        .forEach(
            error -> {
              boolean isMissing =
                  error.getErrorDetail().getCode() == RpcStatus.Code.NOT_FOUND.number();
              names.add((isMissing ? "!" : "broken ") + error.getResourceName().getName());
            });
    String type = response.getTypeUrl().substring(response.getTypeUrl().lastIndexOf('.') + 1);
    heard.add(type + ": " + String.join(", ", names));
  }

  @Override
  public void onClosed(RpcStatus reason) {
    heard.add("closed " + reason);
  }

  private List<String> take() {
    List<String> taken = List.copyOf(heard);
    heard.clear();
    return taken;
  }

  private void ask(ResourceType<?> type, String... names) {
    send(
        DiscoveryRequest.newBuilder()
            .setTypeUrl(type.typeUrl())
            .addAllResourceNames(List.of(names)));
  }

  private void send(DiscoveryRequest.Builder request) {
    loop.inside(() -> stream().send(request.build()));
  }

  private void readOne() {
    loop.inside(() -> stream().requestNext());
  }

  private void change(Runnable edit) {
    edit.run();
    loop.advance(Duration.ofSeconds(1));
  }

  @Test
  void aListenerIsAlsoFoundByTheAddressThatIsServed() {
    change(() -> folder.write("l.json", socketListener("in"), listener("api", "a")));
    readOne();
    ask(ResourceType.LISTENER, "0.0.0.0:80", "10.1.2.3:80", "api");
    assertThat(take()).containsExactly("Listener: api, in, 0.0.0.0:80, !10.1.2.3:80");

    readOne();
    change(() -> folder.write("l.json", socketListener("in").replace("0.0.0.0", "10.1.2.3")));
    assertThat(take()).containsExactly("Listener: in, 10.1.2.3:80, !0.0.0.0:80, !api");
  }

  @Conformance("A88-07")
  @Test
  void theErrorOfAFileIsShownAtTheAddressThatIsServed() {
    change(() -> folder.write("l.json", socketListener("in")));
    readOne();
    ask(ResourceType.LISTENER, "0.0.0.0:80");
    assertThat(take()).containsExactly("Listener: in, 0.0.0.0:80");

    readOne();
    change(() -> folder.write("l.json", "{"));
    assertThat(take()).containsExactly("Listener: in, broken 0.0.0.0:80");
    readOne();
    ask(ResourceType.LISTENER, "0.0.0.0:80", "in");
    assertThat(take())
        .as("in was not requested before")
        .containsExactly("Listener: in, broken in, broken 0.0.0.0:80");
  }

  @Test
  void clustersComeAllAndEndpointsAsNamed() {
    readOne();
    ask(ResourceType.CLUSTER, "a");
    assertThat(take()).containsExactly("Cluster: a, b");

    readOne();
    ask(ResourceType.ENDPOINT, "b");
    assertThat(take()).containsExactly("ClusterLoadAssignment: b");
  }

  /** A resource that came again would clear the error for a moment, with an event each time. */
  @Conformance("A88-07")
  @Test
  void aResourceOfABrokenFileComesOnce() {
    readOne();
    ask(ResourceType.CLUSTER, "a");
    assertThat(take()).containsExactly("Cluster: a, b");

    readOne();
    change(() -> folder.write("c.json", "{"));
    assertThat(take()).containsExactly("Cluster: b, broken a");
    readOne();
    change(() -> folder.write("d.json", cluster("d")));
    assertThat(take()).containsExactly("Cluster: b, d, broken a");

    readOne();
    ask(ResourceType.CLUSTER, "a", "b");
    assertThat(take())
        .as("b was not requested before")
        .containsExactly("Cluster: b, d, broken a, broken b");
  }

  @Test
  void nothingIsSentUntilTheClientReads() {
    ask(ResourceType.CLUSTER, "a");
    assertThat(take()).isEmpty();

    readOne();
    assertThat(take()).containsExactly("Cluster: a, b");
    change(() -> folder.write("c.json", cluster("a")));
    assertThat(take()).isEmpty();

    readOne();
    assertThat(take()).containsExactly("Cluster: a");
  }

  @Test
  void missingNamesAreAnsweredAtOnce() {
    readOne();
    ask(ResourceType.ENDPOINT, "a", "gone");
    assertThat(take()).containsExactly("ClusterLoadAssignment: a, !gone");

    readOne();
    change(() -> folder.write("g.json", endpoints("gone", "10.0.0.3")));
    assertThat(take()).containsExactly("ClusterLoadAssignment: a, gone");
  }

  @Test
  void missingClusterIsAnErrorBesideTheOthers() {
    readOne();
    ask(ResourceType.CLUSTER, "gone");

    assertThat(take()).containsExactly("Cluster: a, b, !gone");
  }

  @Test
  void acceptedOrRefusedNothingIsRepeatedUntilItChanges() {
    readOne();
    ask(ResourceType.CLUSTER, "a");
    take();
    readOne();

    send(
        DiscoveryRequest.newBuilder()
            .setTypeUrl(ResourceType.CLUSTER.typeUrl())
            .addResourceNames("a")
            .setErrorDetail(Status.newBuilder().setCode(3).setMessage("refused")));
    loop.advance(Duration.ofMinutes(1));
    assertThat(take()).isEmpty();

    change(() -> folder.write("x.json", cluster("x")));
    assertThat(take()).containsExactly("Cluster: a, b, x");
  }

  @Test
  void changedEndpointsBringAllThatAreNamed() {
    readOne();
    ask(ResourceType.ENDPOINT, "a", "b");
    take();
    readOne();
    ask(ResourceType.ENDPOINT, "a", "b");

    change(() -> folder.write("e.json", endpoints("a", "10.0.0.1"), endpoints("b", "10.0.0.9")));

    assertThat(take()).containsExactly("ClusterLoadAssignment: a, b");
  }

  @Test
  void newNameIsAnsweredAndFewerNamesAreNot() {
    readOne();
    ask(ResourceType.ENDPOINT, "a");
    take();
    readOne();

    ask(ResourceType.ENDPOINT, "a", "b");
    assertThat(take()).containsExactly("ClusterLoadAssignment: a, b");
    readOne();
    ask(ResourceType.ENDPOINT, "b");
    ask(ResourceType.ENDPOINT);
    assertThat(take()).isEmpty();
    ask(ResourceType.ENDPOINT, "a");
    assertThat(take()).containsExactly("ClusterLoadAssignment: a");
  }

  @Test
  void clusterNamedLaterBringsTheWholeStateAgain() {
    readOne();
    ask(ResourceType.CLUSTER, "a");
    take();
    readOne();

    ask(ResourceType.CLUSTER, "a", "b");

    assertThat(take()).containsExactly("Cluster: a, b");
  }

  @Test
  void changeOfOneTypeDoesNotConcernTheOthers() {
    readOne();
    ask(ResourceType.CLUSTER, "a");
    take();
    readOne();

    change(() -> folder.write("e.json", endpoints("a", "10.0.0.7")));

    assertThat(take()).isEmpty();
  }

  @Test
  void closedStreamIsSilent() {
    readOne();
    loop.inside(
        () -> {
          stream()
              .send(
                  DiscoveryRequest.newBuilder()
                      .setTypeUrl(ResourceType.CLUSTER.typeUrl())
                      .addResourceNames("a")
                      .build());
          stream().close();
        });
    change(() -> folder.write("c.json", cluster("z")));
    loop.inside(transport::close);

    assertThat(take()).isEmpty();
  }

  @Test
  void closedDirectoryStopsPolling() {
    loop.inside(directory::close);

    assertThat(loop.pendingTimers()).isZero();
  }
}
