package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.endpoint.Locality;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NodeMessageTest {
  private static final Node NODE =
      new Node(
          "n",
          "c",
          new Locality("r", "z", "s"),
          Map.of(
              "zone",
              "a",
              "API_KEY",
              "hush-1",
              "auth",
              Map.of("bearer-token", List.of("hush-2"), "kind", "jwt"),
              "list",
              List.of(Map.of("Password", "hush-3"), "plain")));

  @Test
  void whatPeopleSeeHasNoSecrets() {
    String shown = NodeMessage.shown(NODE, "1").toString();

    assertThat(shown).doesNotContain("hush").contains("jwt", "plain", "API_KEY", "[redacted]");
    assertThat(NodeMessage.shown(NODE, "1").getId()).isEqualTo("n");
  }
}
