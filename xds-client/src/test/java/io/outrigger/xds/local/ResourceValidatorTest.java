package io.outrigger.xds.local;

import static io.outrigger.xds.testing.JsonResources.badCluster;
import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static io.outrigger.xds.testing.JsonResources.listener;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourceValidatorTest {
  private static final DecodeContext CONTEXT = new DecodeContext(ServerFeatures.NONE, Map.of());

  private final Path temp;

  ResourceValidatorTest(@TempDir Path temp) {
    this.temp = temp;
  }

  @Test
  void goodResourcesHaveNoFindings() {
    new ResourceFolder(temp)
        .write("a.json", listener("orders", "a"), cluster("a"))
        .write("b.json", endpoints("a", "10.0.0.1"));

    assertThat(ResourceValidator.validate(List.of(temp), CONTEXT)).isEmpty();
  }

  @Test
  void findingsNameFileResourceAndField() {
    new ResourceFolder(temp)
        .write("a.json", listener("orders", "a"), badCluster("a"))
        .write("b.json", endpoints("a", "not-an-ip"))
        .writeText("c.json", "{");

    List<FileProblem> findings = ResourceValidator.validate(List.of(temp), CONTEXT);

    assertThat(findings)
        .anySatisfy(
            f -> {
              assertThat(f.file()).isEqualTo(temp.resolve("a.json"));
              assertThat(f.text()).startsWith("cluster \"a\": type: ");
            })
        .anySatisfy(
            f -> {
              assertThat(f.file()).isEqualTo(temp.resolve("b.json"));
              assertThat(f.text())
                  .startsWith("endpoints \"a\": endpoints[0].lb_endpoints[0].endpoint.address");
            })
        .anySatisfy(f -> assertThat(f.toString()).startsWith(temp + "/c.json: not JSON"));
  }

  @Test
  void missingPathIsAFinding() {
    assertThat(ResourceValidator.validate(List.of(temp.resolve("gone.json")), CONTEXT))
        .containsExactly(new FileProblem(temp.resolve("gone.json"), "no such file or folder"));
  }
}
