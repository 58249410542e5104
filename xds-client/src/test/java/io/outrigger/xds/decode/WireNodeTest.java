package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.Node;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WireNodeTest {
  private static final io.outrigger.config.bootstrap.Node NODE =
      new io.outrigger.config.bootstrap.Node(
          "n",
          "c",
          new io.outrigger.config.endpoint.Locality("r", "z", "ß"),
          Map.of(
              "text",
              "ä",
              "on",
              true,
              "off",
              false,
              "half",
              0.5,
              "zero",
              0.0,
              "inside",
              Map.of("list", List.of("a", 1.0, List.of(), Map.of()))));

  @Test
  void itIsTheMessageThatProtobufWouldWrite() throws Exception {
    assertThat(Node.parseFrom(WireNode.of(NODE, "1.2").bytes())).isEqualTo(expected().build());
  }

  @Test
  void aRequestHasItInItsField() throws Exception {
    WireNode node = WireNode.of(NODE, "1.2").withFeature("more");
    DiscoveryRequest request =
        DiscoveryRequest.newBuilder()
            .setTypeUrl("type")
            .setUnknownFields(node.asField(DiscoveryRequest.NODE_FIELD_NUMBER))
            .build();

    assertThat(DiscoveryRequest.parseFrom(request.toByteString()))
        .isEqualTo(
            DiscoveryRequest.newBuilder()
                .setTypeUrl("type")
                .setNode(expected().addClientFeatures("more"))
                .build());
  }

  @Test
  void whatPeopleSeeHasNoSecrets() {
    var node =
        new io.outrigger.config.bootstrap.Node(
            "n",
            "c",
            new io.outrigger.config.endpoint.Locality("r", "z", "s"),
            Map.of(
                "zone",
                "a",
                "API_KEY",
                "hush-1",
                "auth",
                Map.of("bearer-token", List.of("hush-2"), "kind", "jwt"),
                "list",
                List.of(Map.of("Password", "hush-3"), "plain")));

    String shown = WireNode.shown(node, "1").toString();

    assertThat(shown).doesNotContain("hush").contains("jwt", "plain", "API_KEY", "[redacted]");
    assertThat(WireNode.shown(node, "1").getId()).isEqualTo("n");
  }

  private static Node.Builder expected() {
    var list =
        ListValue.newBuilder()
            .addValues(Value.newBuilder().setStringValue("a"))
            .addValues(Value.newBuilder().setNumberValue(1))
            .addValues(Value.newBuilder().setListValue(ListValue.getDefaultInstance()))
            .addValues(Value.newBuilder().setStructValue(Struct.getDefaultInstance()));
    var inside =
        Struct.newBuilder().putFields("list", Value.newBuilder().setListValue(list).build());
    return Node.newBuilder()
        .setId("n")
        .setCluster("c")
        .setMetadata(
            Struct.newBuilder()
                .putFields("text", Value.newBuilder().setStringValue("ä").build())
                .putFields("on", Value.newBuilder().setBoolValue(true).build())
                .putFields("off", Value.newBuilder().setBoolValue(false).build())
                .putFields("half", Value.newBuilder().setNumberValue(0.5).build())
                .putFields("zero", Value.newBuilder().setNumberValue(0).build())
                .putFields("inside", Value.newBuilder().setStructValue(inside).build()))
        .setLocality(Locality.newBuilder().setRegion("r").setZone("z").setSubZone("ß"))
        .setUserAgentName("outrigger")
        .setUserAgentVersion("1.2")
        .addClientFeatures("envoy.lb.does_not_support_overprovisioning")
        .addClientFeatures("xds.config.resource-in-sotw");
  }
}
