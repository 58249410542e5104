package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static io.outrigger.xds.testing.TextResources.unreadable;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.decode.Decoded;
import io.outrigger.xds.testing.RecordingWatcher;
import io.outrigger.xds.testing.TextResources;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a response means for resources, apart from the stream on which it came. */
final class ResponseHandlerTest {
  private static final XdsServer SERVER = FleetFixture.server("cp.test:443", ServerFeatures.NONE);

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Subscriptions subscriptions = new Subscriptions(loop, changed -> {}, () -> {});
  private final TextResources resources = new TextResources();
  private final ResponseHandler handler = handler();

  @Test
  @Conformance("A57-36")
  void absenceOfWhatIsKnownCountsOnlyIfTheStreamHadAskedForIt() {
    var asked = watch("c");
    var notYet = watch("d");
    respond(Set.of("c", "d"), resource(CLUSTER, "c", "x"), resource(CLUSTER, "d", "y"));
    asked.take();
    notYet.take();

    respond(Set.of("c"));
    assertThat(asked.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
    assertThat(notYet.take()).isEmpty();

    respond(Set.of("c", "d"));
    assertThat(notYet.take()).singleElement().asString().startsWith("ambient: NOT_FOUND");
  }

  @Test
  void theSummaryTellsOfEachResourceThatIsNotAsBefore() {
    List.of("same", "changed", "new", "refused").forEach(this::watch);
    respond(
        Set.of(),
        resource(CLUSTER, "same", "x"),
        resource(CLUSTER, "changed", "x"),
        resource(CLUSTER, "refused", "x"));

    AdsObserver.Response summary =
        summary(
            resource(CLUSTER, "same", "x"),
            resource(CLUSTER, "changed", "y"),
            resource(CLUSTER, "new", "x"),
            invalid(CLUSTER, "refused", "bad"),
            unreadable(CLUSTER));

    assertThat(summary.valid()).isEqualTo(3);
    assertThat(summary.invalid()).isEqualTo(2);
    assertThat(summary.changeCount()).isEqualTo(3);
    assertThat(summary.firstChanges())
        .extracting(AdsObserver.Change::toString)
        .containsExactly("changed changed", "new is new", "refused refused");
  }

  @ParameterizedTest(name = "{0} new ones and {1} refused")
  @CsvSource({"30, 5", "19, 3", "0, 30"})
  void ofManyChangesTheSummaryTellsOfTheFirstTwenty(int fresh, int refused) {
    Any[] clusters =
        IntStream.range(0, fresh + refused)
            .mapToObj(
                i -> i < fresh ? resource(CLUSTER, "c" + i, "x") : invalid(CLUSTER, "c" + i, "bad"))
            .toArray(Any[]::new);
    IntStream.range(0, clusters.length).forEach(i -> watch("c" + i));

    AdsObserver.Response summary = summary(clusters);

    assertThat(summary.changeCount()).isEqualTo(fresh + refused);
    assertThat(summary.firstChanges())
        .extracting(AdsObserver.Change::name)
        .containsExactlyElementsOf(IntStream.range(0, 20).mapToObj(i -> "c" + i).toList());
  }

  @Test
  void whatIsKnownIsLookedForInAQuarterOfItAndNotInLess() {
    List.of("a", "b", "c", "d").forEach(this::watch);
    Any[] clusters =
        Stream.of("a", "b", "c", "d").map(name -> resource(CLUSTER, name, "x")).toArray(Any[]::new);
    respond(Set.of(), clusters);
    int before = resources.decodedCount();

    respond(Set.of(), clusters[0]);
    assertThat(resources.decodedCount()).isEqualTo(before);

    watch("e");
    respond(Set.of(), clusters[0]);
    assertThat(resources.decodedCount()).isEqualTo(before + 1);
  }

  @Test
  void aRefusalThatIsFullTellsHowManyMoreThereAre() {
    Map<String, Decoded.Invalid> invalid = new LinkedHashMap<>();
    for (int i = 0; i < 40; i++) {
      invalid.put("c" + i, refused("x".repeat(ResponseHandler.MAX_REASON_TEXT)));
    }

    String[] lines = refusal(invalid, "y", "z").split("\n", -1);

    assertThat(lines).hasSizeGreaterThan(30);
    assertThat(lines[lines.length - 1]).isEqualTo("and " + (42 - (lines.length - 1)) + " more");
  }

  @Test
  void aRefusalThatIsFullOfResourcesWithoutANameTellsHowManyMoreThereAre() {
    String tooMuch = "y".repeat(ResponseHandler.MAX_REFUSAL);

    assertThat(refusal(Map.of("c", refused("bad")), "x", tooMuch, "z"))
        .isEqualTo("cluster \"c\": bad\nx\nand 2 more");
    assertThat(refusal(Map.of(), tooMuch)).isEqualTo(tooMuch);
    assertThat(refusal(Map.of(), tooMuch + "y")).isEqualTo("\nand 1 more");
  }

  @Test
  void reasonsThatAreTooManyEndWithAnEllipsis() {
    String most = "x".repeat(ResponseHandler.MAX_REASON_TEXT);

    assertThat(refusal(Map.of("c", refused(most)))).isEqualTo("cluster \"c\": " + most);
    assertThat(refusal(Map.of("c", refused(most + "x")))).isEqualTo("cluster \"c\": " + most + "…");
  }

  private static Decoded.Invalid refused(String reason) {
    return Decoded.Invalid.of(new RawResource("type", new byte[0]), reason);
  }

  private static String refusal(Map<String, Decoded.Invalid> invalid, String... unnamed) {
    return ResponseHandler.refusal(CLUSTER, new Decoded<>(Map.of(), invalid, List.of(unnamed)));
  }

  private AdsObserver.Response summary(Any... clusters) {
    DiscoveryResponse response =
        DiscoveryResponse.newBuilder().addAllResources(List.of(clusters)).build();
    var summary = new AtomicReference<AdsObserver.Response>();
    loop.inside(
        () ->
            handler.read(
                CLUSTER, response, decoded -> summary.set(handler.summary(CLUSTER, "2", decoded))));
    return summary.get();
  }

  private ResponseHandler handler() {
    var all = new ServerSubscriptions();
    all.add(subscriptions);
    var policy =
        new CurrentOverlay(
            loop,
            Runnable::run,
            resources,
            server -> new DecodeContext(ServerFeatures.NONE, Map.of()),
            List::of);
    return new ResponseHandler(
        loop,
        Runnable::run,
        SERVER,
        SERVER.uri(),
        all,
        new ResourceTimers(loop, ServerFeatures.NONE),
        new IncrementalDecoder(resources),
        policy,
        AdsObserver.NONE);
  }

  private RecordingWatcher<ClusterResource> watch(String name) {
    var watcher = new RecordingWatcher<ClusterResource>();
    loop.inside(
        () -> {
          var unused = subscriptions.watch(CLUSTER, name, "xds:///orders", watcher);
        });
    return watcher;
  }

  private void respond(Set<String> requested, Any... clusters) {
    DiscoveryResponse response =
        DiscoveryResponse.newBuilder().addAllResources(List.of(clusters)).build();
    loop.inside(
        () ->
            handler.read(
                CLUSTER,
                response,
                decoded -> handler.apply(CLUSTER, response, decoded, requested)));
  }
}
