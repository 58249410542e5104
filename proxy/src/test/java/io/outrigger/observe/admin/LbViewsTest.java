package io.outrigger.observe.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.netty.buffer.ByteBuf;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.state.TransportSecurity;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.observe.admin.LbViews.Detail;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LbViewsTest {
  private static final Locality LOCALITY = new Locality("eu", "a", "");
  private static final Instant TIME = Instant.parse("2026-11-21T12:00:00Z");
  private static final TransportSecurity TLS =
      new TransportSecurity("TLSv1.3", "TLS_AES_128_GCM_SHA256", "spiffe://a/b", TIME);

  @Test
  void theContractsMembersAndNoOthers() {
    LbNode leaf = node("leaf", List.of(), List.of(endpoint(1, Optional.of(TLS)), ejected()));
    LbNode cluster = node("pay", List.of(leaf, node("other", List.of(), List.of())), List.of());

    JsonElement answer = answer(Detail.CONTRACT, cluster);

    assertThat(answer)
        .isEqualTo(
            JsonParser.parseString(
                """
                {"forwards":[{"name":"orders","target":"xds:///orders","root":
                  {"name":"xds:///orders","policy":"cluster_manager","state":"READY","config":{},
                   "detail":"1 cluster","children":[
                  {"name":"pay","policy":"p","state":"READY","config":{"n":1},"detail":"d","children":[
                    {"name":"leaf","policy":"p","state":"READY","config":{"n":1},"detail":"d",
                     "children":[],"endpoints":[
                      {"address":"10.0.0.1:80","locality":"eu/a/","health":"HEALTHY","weight":3,
                       "state":"READY","active_requests":2,"tls":{"protocol":"TLSv1.3",
                         "cipher":"TLS_AES_128_GCM_SHA256","peer":"spiffe://a/b",
                         "peer_expires":"2026-11-21T12:00:00Z"},"ejected":null,
                       "last_interval":{"success":0,"failure":0}},
                      {"address":"[2001:db8::1]:443","locality":"eu/a/","health":"UNKNOWN",
                       "weight":1,"state":"TRANSIENT_FAILURE","active_requests":0,"tls":null,
                       "ejected":{"since":"2026-11-21T12:00:00Z","until":"2026-11-21T12:00:30Z",
                         "times":2,"by":"success_rate"},
                       "last_interval":{"success":7,"failure":8}}]},
                    {"name":"other","policy":"p","state":"READY","config":{"n":1},"detail":"d",
                     "children":[],"endpoints":[]}],"endpoints":[]}],"endpoints":[]}}]}
                """));
  }

  @Test
  void moreDetailAddsWhatNodesAndEndpointsGet() {
    LbNode cluster = node("pay", List.of(), List.of(endpoint(1)), false);

    JsonObject calls = cluster(answer(Detail.CALLS, cluster));
    JsonObject full = cluster(answer(Detail.FULL, cluster));

    assertThat(calls.get("used").getAsBoolean()).isFalse();
    assertThat(endpoint(calls).get("total"))
        .isEqualTo(JsonParser.parseString("{\"success\":40,\"failure\":5}"));
    assertThat(endpoint(calls).has("history")).isFalse();
    assertThat(endpoint(full).getAsJsonArray("history")).isEmpty();
  }

  @Test
  void aNodeMayHaveChildrenAndEndpointsBoth() {
    LbNode leaf = node("leaf", List.of(), List.of(endpoint(1), endpoint(2)));
    LbNode cluster = node("pay", List.of(leaf), List.of(endpoint(3), endpoint(4)));

    JsonObject json = cluster(answer(Detail.CONTRACT, cluster));

    assertThat(json.getAsJsonArray("endpoints")).hasSize(2);
    assertThat(json.getAsJsonArray("children").get(0).getAsJsonObject().getAsJsonArray("endpoints"))
        .hasSize(2);
  }

  @Test
  void aForwardWithoutConfigurationHasNoRoot() {
    assertThat(answer(Detail.CONTRACT).toString()).contains("\"root\":null");
  }

  @Test
  void forPeopleUpToTwoHundredEndpointsAndOnOneLineBeyond() {
    assertThat(text(Detail.CONTRACT, cluster(200))).contains("\n                \"address\": ");

    String tooLong = text(Detail.CONTRACT, cluster(201));

    assertThat(tooLong.strip()).doesNotContain("\n", " \"");
    assertThat(JsonParser.parseString(tooLong)).isEqualTo(answer(Detail.CONTRACT, cluster(201)));
  }

  private static LbNode cluster(int endpoints) {
    return node(
        "pay", List.of(), IntStream.range(0, endpoints).mapToObj(i -> endpoint(i)).toList());
  }

  private static LbNode node(String name, List<LbNode> children, List<LbEndpoint> endpoints) {
    return node(name, children, endpoints, true);
  }

  private static LbNode node(
      String name, List<LbNode> children, List<LbEndpoint> endpoints, boolean isUsed) {
    return new LbNode(
        name, "p", Connectivity.READY, Map.of("n", 1), "d", children, endpoints, isUsed);
  }

  private static LbEndpoint endpoint(int number) {
    return endpoint(number, Optional.empty());
  }

  private static LbEndpoint endpoint(int number, Optional<TransportSecurity> tls) {
    var address = new EndpointAddress("10.0.0." + number, 80);
    return new LbEndpoint(
        new Backend(new Endpoint(List.of(address), HealthStatus.HEALTHY, 3, ""), LOCALITY, 0),
        new LbEndpoint.Link(Connectivity.READY, new SubchannelCalls(2, 40, 5), tls, ""));
  }

  private static LbEndpoint ejected() {
    var ejection =
        new LbEndpoint.Ejection(TIME, TIME.plusSeconds(30), 2, OutlierEvent.Method.SUCCESS_RATE);
    var address = new EndpointAddress("2001:db8::1", 443);
    return new LbEndpoint(
            new Backend(new Endpoint(List.of(address), HealthStatus.UNKNOWN, 1, ""), LOCALITY, 0),
            new LbEndpoint.Link(Connectivity.TRANSIENT_FAILURE, SubchannelCalls.NONE))
        .with(new LbEndpoint.Detection(Optional.of(ejection), 7, 8, List.of()));
  }

  private static JsonElement answer(Detail detail, LbNode... clusters) {
    return JsonParser.parseString(text(detail, clusters));
  }

  private static String text(Detail detail, LbNode... clusters) {
    List<LbNode> trees = List.of(clusters);
    var forward =
        new LbViews.Forward(
            "orders",
            "xds:///orders",
            trees.stream().map(LbNode::state).toList(),
            trees.stream().mapToInt(tree -> tree.endpoints().size()).sum(),
            visitor -> trees.forEach(cluster -> Samples.show(cluster, visitor)));
    ByteBuf body = LbViews.reply(detail, Map.of(), List.of(forward)).body();
    try {
      return body.toString(StandardCharsets.UTF_8);
    } finally {
      body.release();
    }
  }

  private static JsonObject cluster(JsonElement answer) {
    JsonObject forward =
        answer.getAsJsonObject().getAsJsonArray("forwards").get(0).getAsJsonObject();
    return forward.getAsJsonObject("root").getAsJsonArray("children").get(0).getAsJsonObject();
  }

  private static JsonObject endpoint(JsonObject node) {
    return node.getAsJsonArray("endpoints").get(0).getAsJsonObject();
  }
}
