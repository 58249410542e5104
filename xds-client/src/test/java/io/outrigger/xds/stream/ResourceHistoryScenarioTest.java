package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry;
import io.outrigger.xds.cache.CacheEvent;
import io.outrigger.xds.cache.CacheTransition;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.status.XdsStatusView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is remembered of a resource beside its present state. */
class ResourceHistoryScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  private XdsStatusView.History history() {
    return ads.status().resources().get(0).history();
  }

  private List<String> changes() {
    return history().changes().stream()
        .map(change -> change.state() + " " + change.version())
        .toList();
  }

  @Test
  void eachChangeIsRememberedAndRepetitionsAreNot() {
    ads.watch(CLUSTER, "a");
    var stream = ads.stream().ready();

    stream.respond(CLUSTER, "1", resource(CLUSTER, "a", "x"));
    stream.respond(CLUSTER, "2", resource(CLUSTER, "a", "x"));
    stream.respond(CLUSTER, "3", resource(CLUSTER, "a", "y"));
    stream.respond(CLUSTER, "4");
    stream.respond(CLUSTER, "5");

    assertThat(changes()).containsExactly("acked 1", "acked 3", "does_not_exist 4");
    assertThat(history().changes().get(2).details()).contains("the control plane removed it");
    assertThat(history().nacks()).isZero();
  }

  @Test
  void onlyTheLastTwentyChangesAreKept() {
    ads.watch(CLUSTER, "a");
    var stream = ads.stream().ready();

    for (int i = 1; i <= 25; i++) {
      stream.respond(CLUSTER, "" + i, resource(CLUSTER, "a", "x" + i));
    }

    assertThat(changes()).hasSize(20).startsWith("acked 6").endsWith("acked 25");
  }

  @Test
  void refusalsAreCountedWithTheFirstAndTheLastTime() {
    ads.watch(CLUSTER, "a");
    var stream = ads.stream().ready();
    Instant first = ads.loop.now();

    stream.respond(CLUSTER, "1", invalid(CLUSTER, "a", "lb_policy: is wrong"));
    ads.loop.advance(Duration.ofSeconds(10));
    stream.respond(CLUSTER, "1", invalid(CLUSTER, "a", "lb_policy: is wrong"));
    Instant last = ads.loop.now();
    stream.respond(CLUSTER, "2", resource(CLUSTER, "a", "x"));

    assertThat(history().nacks()).isEqualTo(2);
    assertThat(history().firstNack()).contains(first);
    assertThat(history().lastNack()).contains(last);
    assertThat(changes()).containsExactly("nacked 1", "acked 2");
    assertThat(history().changes())
        .extracting(XdsStatusView.Change::at)
        .containsExactly(first, last);
  }

  @Test
  void bodiesBeyondTheBoundAreLetGoTheOldestFirst() {
    var budget = new HistoryBudget(10);
    var first = entry(6);
    var second = entry(4);
    var third = entry(3);

    budget.add(first);
    budget.add(second);
    assertThat(first.view().body()).isPresent();
    budget.add(third);

    assertThat(first.view().body()).isEmpty();
    assertThat(second.view().body()).isPresent();
    assertThat(third.view().body()).isPresent();
  }

  @Test
  void textsCountAsBodiesDo() {
    ads.watch(CLUSTER, "a");
    for (int i = 0; i < 100; i++) {
      ads.watch(CLUSTER, "c" + i);
    }
    var stream = ads.stream().ready();

    for (int version = 1; version <= 20; version++) {
      Any[] clusters = new Any[100];
      for (int i = 0; i < 100; i++) {
        clusters[i] = invalid(CLUSTER, "c" + i, version + " " + "x".repeat(9000));
      }
      stream.respond(CLUSTER, "" + version, clusters);
    }

    List<XdsStatusView.Change> changes =
        ads.status().resources().stream()
            .flatMap(resource -> resource.history().changes().stream())
            .toList();
    assertThat(changes).as("each is still there").hasSize(2000);
    assertThat(changes.stream().mapToLong(ResourceHistoryScenarioTest::size).sum())
        .isBetween(7L << 20, (8L << 20) + 100_000);
    List<XdsStatusView.Change> last = ads.status().resources().get(1).history().changes();
    assertThat(last.get(0).details()).isEqualTo("too long ago, no longer kept");
    assertThat(last.get(0)).extracting("state", "version").containsExactly("nacked", "1");
    assertThat(last.get(19).details()).contains("is invalid: 20 xxx");
  }

  @Test
  void aRefusalThatIsRepeatedIsNoChangeThoughItsTextsAreLetGo() {
    ads.watch(CLUSTER, "a");
    ads.watch(CLUSTER, "b");
    var stream = ads.stream().ready();
    Any refused = invalid(CLUSTER, "a", "wrong");
    stream.respond(CLUSTER, "1", refused);
    for (int i = 0; i < 10; i++) {
      stream.respond(CLUSTER, "v" + i, resource(CLUSTER, "b", "x".repeat(1 << 20) + i));
    }
    assertThat(history().changes().get(0).body()).isEmpty();

    stream.respond(CLUSTER, "1", refused);

    assertThat(changes()).containsExactly("nacked 1");
  }

  private static long size(XdsStatusView.Change change) {
    return (long) change.version().length()
        + change.details().length()
        + change.body().map(body -> body.bytes().length).orElse(0);
  }

  @Test
  void whatIsInNoHistoryAnyMoreHoldsNoRoom() {
    var budget = new HistoryBudget(10);
    var first = entry(6);
    var second = entry(4);
    budget.add(first);
    budget.add(second);

    budget.remove(first);
    budget.add(entry(6));

    assertThat(budget.count()).isEqualTo(2);
    assertThat(second.view().body()).isPresent();
  }

  @Test
  void aChangeThatIsNotKeptHoldsNoRoom() {
    var budget = new HistoryBudget(1000);
    var history = new ResourceHistory(budget);
    CacheEntry<String> entry = CacheEntry.requested();
    for (int i = 0; i < 25; i++) {
      CacheEntry<String> next = received(entry, "v" + i);
      history.onTransition(entry, next);
      entry = next;
    }

    assertThat(budget.count()).isEqualTo(20);
    history.forget();

    assertThat(budget.count()).isZero();
    assertThat(history.view().changes()).isEmpty();
  }

  private static CacheEntry<String> received(CacheEntry<String> entry, String version) {
    var raw = new RawResource("type", version.getBytes(StandardCharsets.UTF_8));
    XdsServer server = FleetFixture.server("cp.test:443", ServerFeatures.NONE);
    var event =
        new CacheEvent.Received<>(
            new CacheEntry.Held<>(version, raw, version, Instant.EPOCH, server, Overlay.NONE));
    return CacheTransition.apply(entry, event, ServerFeatures.NONE).next();
  }

  @ParameterizedTest
  @CsvSource({"64, 64", "65, 65", "1000, 65"})
  void ofALongVersionThatIsLetGoTheBeginningStays(int length, int shown) {
    String version = "v".repeat(length);
    var entry = new ResourceHistory.Entry(Instant.EPOCH, "acked", version, "", Optional.empty());

    entry.shorten();

    assertThat(entry.view().version())
        .hasSize(shown)
        .isEqualTo(length == 64 ? version : "v".repeat(64) + "…");
  }

  private static ResourceHistory.Entry entry(int bytes) {
    return new ResourceHistory.Entry(
        Instant.EPOCH, "acked", "", "", Optional.of(new RawResource("type", new byte[bytes])));
  }
}
