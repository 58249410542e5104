package io.outrigger.xds.stream;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.xds.status.XdsStatusView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of a resource beside its present state. */
class ResourceHistoryScenarioTest {
  private final AdsFixture ads = new AdsFixture();

  private List<XdsStatusView.Change> history() {
    return ads.status().resources().get(0).changes();
  }

  private List<String> changes() {
    return history().stream().map(change -> change.state() + " " + change.version()).toList();
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
    assertThat(history().get(2).details()).contains("the control plane removed it");
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
  void aRepeatedRefusalIsOneChange() {
    ads.watch(CLUSTER, "a");
    var stream = ads.stream().ready();
    Instant first = ads.loop.now();

    stream.respond(CLUSTER, "1", invalid(CLUSTER, "a", "lb_policy: is wrong"));
    ads.loop.advance(Duration.ofSeconds(10));
    stream.respond(CLUSTER, "1", invalid(CLUSTER, "a", "lb_policy: is wrong"));
    Instant last = ads.loop.now();
    stream.respond(CLUSTER, "2", resource(CLUSTER, "a", "x"));

    assertThat(changes()).containsExactly("nacked 1", "acked 2");
    assertThat(history()).extracting(XdsStatusView.Change::at).containsExactly(first, last);
  }

  @Test
  void longTextsAreShortened() {
    ads.watch(CLUSTER, "a");
    var stream = ads.stream().ready();

    stream.respond(CLUSTER, "v".repeat(100), invalid(CLUSTER, "a", "x".repeat(9000)));

    XdsStatusView.Change change = history().get(0);
    assertThat(change.version()).isEqualTo("v".repeat(64) + "…");
    assertThat(change.details()).hasSize(501).contains("is invalid: xxx").endsWith("…");
  }
}
