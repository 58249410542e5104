package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.protobuf.Any;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.clusters.aggregate.v3.ClusterConfig;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.local.ResourceFiles;
import io.outrigger.xds.local.ResourceValidator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files that the documents point to. */
final class ExamplesTest {
  private static final Path EXAMPLES = Path.of("..", "config", "examples");
  private static final JsonFormat.TypeRegistry TYPES =
      JsonFormat.TypeRegistry.newBuilder()
          .add(Listener.getDescriptor())
          .add(HttpConnectionManager.getDescriptor())
          .add(Router.getDescriptor())
          .add(RouteConfiguration.getDescriptor())
          .add(Cluster.getDescriptor())
          .add(ClusterConfig.getDescriptor())
          .add(ClusterLoadAssignment.getDescriptor())
          .build();

  @ParameterizedTest
  @CsvSource({"greeter.yaml, 3", "failover.json, 7"})
  void resourcesAreTheProto3JsonOfADiscoveryResponse(String name, int count) throws IOException {
    String text = Files.readString(EXAMPLES.resolve("resources").resolve(name));
    String json =
        name.endsWith(".yaml")
            ? new Gson().toJson(new Load(LoadSettings.builder().build()).loadFromString(text))
            : text;

    DiscoveryResponse.Builder response = DiscoveryResponse.newBuilder();
    JsonFormat.parser().usingTypeRegistry(TYPES).merge(json, response);

    assertThat(response.getResourcesList()).hasSize(count);
    assertThat(response.getResourcesList()).extracting(Any::getTypeUrl).doesNotContain("");
  }

  @Test
  void theSidecarWouldRefuseNoneOfThem() {
    var context = new DecodeContext(ServerFeatures.NONE, Map.of());

    assertThat(
            ResourceValidator.validate(
                    ResourceFiles.read(List.of(EXAMPLES.resolve("resources"))), context)
                .problems())
        .isEmpty();
  }

  @Test
  void bothRunAsTheDocumentsSay() {
    CommandLineFixture outrigger = new CommandLineFixture();

    assertThat(
            outrigger.run(
                "run",
                "--resources",
                EXAMPLES.resolve("resources/greeter.yaml").toString(),
                "--forward",
                "9001=xds:///greeter"))
        .isZero();
    assertThat(
            outrigger.run(
                "run",
                "--bootstrap",
                EXAMPLES.resolve("bootstrap.json").toString(),
                "--resources",
                EXAMPLES.resolve("resources").toString(),
                "--forward",
                "9001=xds:///orders"))
        .isZero();
    assertThat(outrigger.started).hasSize(2);
    assertThat(outrigger.started.get(1).source().orElseThrow().bootstrap().node().id())
        .isEqualTo("outrigger-example");
  }

  @Test
  void theUnitOfSystemdRunsTheFileOfTheInstallPage(@TempDir Path folder) throws IOException {
    String page = Files.readString(Path.of("../docs/run/install.md"));
    String unit = Files.readString(Path.of("src/main/dist/share/systemd/outrigger.service"));
    Matcher file = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL).matcher(page);
    Matcher start = Pattern.compile("ExecStart=/opt/outrigger/bin/outrigger (.*)").matcher(unit);
    assertThat(file.find() && start.find()).isTrue();
    Path config = Files.writeString(folder.resolve("outrigger.yaml"), file.group(1));
    CommandLineFixture outrigger = new CommandLineFixture();

    String[] line = start.group(1).split(" ");
    assertThat(List.of(line)).last().isEqualTo("/etc/outrigger/outrigger.yaml");
    line[line.length - 1] = config.toString();

    assertThat(outrigger.run(line)).as(outrigger.err.toString()).isZero();
    assertThat(outrigger.started).hasSize(1);
  }
}
