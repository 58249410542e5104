package io.outrigger.observe.admin;

import static io.outrigger.config.endpoint.HealthStatus.DRAINING;
import static io.outrigger.config.endpoint.HealthStatus.HEALTHY;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.SessionCall;
import io.outrigger.lb.testing.TestCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Why an endpoint is not picked, of live trees. */
class PickViewTest {
  private static final String A = "10.0.0.1:80";
  private static final String B = "10.0.0.2:80";
  private static final String C = "10.0.0.3:80";

  private final LbScript lb = new LbScript();

  /** A call with a hash; {@code preferred} is what its session names. */
  private record Planned(long value, Optional<List<EndpointAddress>> preferred)
      implements PlannedCall {
    @Override
    public OptionalLong hash() {
      return OptionalLong.of(value);
    }

    @Override
    public Optional<List<EndpointAddress>> session() {
      return preferred;
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }
  }

  @Test
  void aKeptSessionLeavesTheOthersOut() {
    start(new BalancingPolicy.RoundRobin(), A, B);
    lb.pick("pay", SessionCall.to()); // has the hosts looked up

    assertThat(excluded(session(A)))
        .isEqualTo(Map.of(B, "the session stays with another endpoint"));
  }

  @Test
  void aSessionThatWaitsForItsEndpointLeavesTheReadyOnesOut() {
    start(new BalancingPolicy.RoundRobin(), A, B);
    lb.pick("pay", SessionCall.to());
    apply(new BalancingPolicy.RoundRobin(), Samples.priorities(Samples.zone("z", A, B, C)));

    assertThat(excluded(session(C)))
        .isEqualTo(
            Map.of(
                A, "the session stays with another endpoint",
                B, "the session stays with another endpoint",
                C, "is being connected"));
  }

  @Test
  void theFirstSessionWaitsForItsEndpointToBeLookedUp() {
    start(new BalancingPolicy.RoundRobin(), A, B);

    assertThat(excluded(session(A)))
        .isEqualTo(
            Map.of(
                A, "the endpoint that the session names is being looked up",
                B, "the endpoint that the session names is being looked up"));
  }

  @Test
  void aSessionThatIsLostLeavesNobodyOut() {
    start(new BalancingPolicy.RoundRobin(), A, B);
    lb.pick("pay", SessionCall.to());

    assertThat(excluded(session("10.9.9.9:80"))).isEmpty();
  }

  @Test
  void aHashLeavesTheOthersOut() {
    start(new BalancingPolicy.RingHash(64, 4096, ""), A, B);
    connectAll();

    Map<String, String> excluded = excluded(new Planned(7, Optional.empty()));

    assertThat(excluded).hasSize(1).containsValue("the hash falls to another endpoint");
  }

  @Test
  void theFirstAddressThatConnectsLeavesTheOthersOut() {
    start(new BalancingPolicy.PickFirst(false), A, B);

    assertThat(excluded(new Planned(7, Optional.empty()))).isEqualTo(Map.of(B, "is not connected"));
  }

  @Test
  void anEndpointIsLeftOutForItsHealth() {
    apply(
        new BalancingPolicy.RoundRobin(),
        Samples.priorities(
            Samples.locality("z", 1, Samples.endpoint(A), Samples.endpoint(DRAINING, B))));
    connectAll();

    assertThat(excluded(new Planned(7, Optional.empty())))
        .isEqualTo(Map.of(B, "left out for its health, DRAINING"));
  }

  @Test
  void aRequestWithoutTheHashedHeaderHasNoSlotOnTheRing() {
    start(new BalancingPolicy.RingHash(64, 4096, "x-user"), A, B);
    connectAll();

    JsonObject hash = written(view(new Planned(7, Optional.empty()))).getAsJsonObject("hash");

    assertThat(hash.get("value")).isNull();
    assertThat(hash.get("ring_slot").isJsonNull()).isTrue();
  }

  private static Planned session(String address) {
    return new Planned(7, Optional.of(List.of(Samples.address(address))));
  }

  private void start(BalancingPolicy policy, String... addresses) {
    apply(policy, Samples.priorities(Samples.zone("z", addresses)));
    connectAll();
  }

  /** Connects whatever a pick asks for, until the picks ask for nothing more. */
  private void connectAll() {
    for (int i = 0; i < 16; i++) {
      lb.loop().inside(lb.connector()::readyAll);
      long hash = i * 0x9E3779B97F4A7C15L;
      lb.pick("pay", TestCall.hashed(hash));
    }
  }

  private void apply(BalancingPolicy policy, EndpointSet endpoints) {
    var cluster =
        new ClusterResource(
            "pay",
            new ClusterSource.Eds("pay"),
            policy,
            ClusterResource.Limits.DEFAULT,
            Optional.empty(),
            new ClusterResource.Sessions(Duration.ofHours(1), Set.of(HEALTHY)));
    lb.apply(Samples.config(Set.of("pay"), Samples.leaf(cluster, endpoints)));
    lb.loop().run();
  }

  private PickView view(PlannedCall call) {
    return new PickView(lb.describe("pay"), lb.handle("pay").picker().plan(call), host -> "pay");
  }

  /** The reason for each endpoint that the call cannot be picked for. */
  private Map<String, String> excluded(PlannedCall call) {
    Map<String, String> reasons = new TreeMap<>();
    for (JsonElement each : written(view(call)).getAsJsonArray("excluded")) {
      JsonObject endpoint = each.getAsJsonObject();
      reasons.put(endpoint.get("address").getAsString(), endpoint.get("reason").getAsString());
    }
    return reasons;
  }

  private static JsonObject written(PickView view) {
    var json = new JsonObject();
    view.addTo(json);
    return json;
  }
}
