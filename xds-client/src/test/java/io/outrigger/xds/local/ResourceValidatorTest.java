package io.outrigger.xds.local;

import static io.outrigger.xds.testing.JsonResources.aggregate;
import static io.outrigger.xds.testing.JsonResources.badCluster;
import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.dynamicListener;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static io.outrigger.xds.testing.JsonResources.listener;
import static io.outrigger.xds.testing.JsonResources.routes;
import static io.outrigger.xds.testing.JsonResources.socketListener;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.decode.DecodeContext;
import io.outrigger.xds.status.FileProblem;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceValidatorTest {
  private static final DecodeContext CONTEXT = new DecodeContext(ServerFeatures.NONE, Map.of());

  private final Path temp;

  ResourceValidatorTest(@TempDir Path temp) {
    this.temp = temp;
  }

  private ResourceValidator.Result validate() {
    return ResourceValidator.validate(ResourceFiles.read(List.of(temp)), CONTEXT);
  }

  @Test
  void goodResourcesHaveNoFindings() {
    new ResourceFolder(temp)
        .write("a.json", listener("orders", "a"), cluster("a"))
        .write("b.json", endpoints("a", "10.0.0.1"));

    assertThat(validate())
        .isEqualTo(new ResourceValidator.Result(List.of(), List.of(), List.of(), List.of()));
  }

  @Test
  void findingsNameFileResourceAndField() {
    new ResourceFolder(temp)
        .write("a.json", listener("orders", "a"), badCluster("a"))
        .write("b.json", endpoints("a", "not-an-ip"))
        .writeText("c.json", "{");

    List<FileProblem> findings = validate().problems();

    assertThat(findings)
        .anySatisfy(
            f -> {
              assertThat(f.file()).isEqualTo(temp.resolve("a.json"));
              assertThat(f.message()).startsWith("cluster \"a\": type: ");
            })
        .anySatisfy(
            f -> {
              assertThat(f.file()).isEqualTo(temp.resolve("b.json"));
              assertThat(f.message())
                  .startsWith("endpoints \"a\": endpoints[0].lb_endpoints[0].endpoint.address");
            })
        .anySatisfy(f -> assertThat(f.toString()).startsWith(temp + "/c.json: not JSON"));
  }

  @Test
  void aFindingNamesTheFileOfItsResourceAlsoIfAnotherFileHasTheSameName() {
    new ResourceFolder(temp)
        .write("a.json", listener("orders", "c"), cluster("c"))
        .write("b.json", badCluster("c"));

    var result = validate();

    assertThat(result.problems())
        .extracting(FileProblem::file)
        .containsOnly(temp.resolve("b.json"));
    assertThat(result.broken()).extracting(FileProblem::file).containsOnly(temp.resolve("a.json"));
  }

  @Test
  void missingPathIsAFinding() {
    assertThat(
            ResourceValidator.validate(
                    ResourceFiles.read(List.of(temp.resolve("gone.json"))), CONTEXT)
                .problems())
        .containsExactly(
            new FileProblem(temp.resolve("gone.json"), "no such file or folder; check the path"));
  }

  @Test
  void findingsNameLineAndColumn() {
    new ResourceFolder(temp)
        .writeText(
            "a.yaml",
            """
            resources:
            - "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
              name: a
              type: EDS
              eds_cluster_config: {eds_config: {ads: {}}}
              outlier_detection:
                max_ejection_percent: 101
            """);

    assertThat(validate().problems())
        .extracting(FileProblem::toString)
        .containsExactly(
            temp
                + "/a.yaml:7:5: cluster \"a\": outlier_detection.max_ejection_percent:"
                + " 101 is above 100");
  }

  @Test
  void aReferenceOfAListenerToWhatIsNotThereIsBroken() {
    new ResourceFolder(temp)
        .write("a.json", listener("one", "gone"), dynamicListener("two", "gone-too"))
        .write("b.json", dynamicListener("three", "routes"), routes("routes", "c"), cluster("c"));

    var result = validate();

    assertThat(result.problems()).isEmpty();
    assertThat(texts(result.broken()))
        .containsExactlyInAnyOrder(
            "listener \"one\": api_listener.api_listener.route_config.virtual_hosts[0].routes[0]"
                + ".route: cluster \"gone\" is not in the files, or only with an error;"
                + " add or correct it, or correct the name",
            "listener \"two\": api_listener.api_listener.rds.route_config_name: route configuration"
                + " \"gone-too\" is not in the files, or only with an error;"
                + " add or correct it, or correct the name",
            "cluster \"c\": eds_cluster_config: endpoints \"c\" is not in the files, or only with"
                + " an error; add or correct it, or correct the name");
    assertThat(result.broken()).allMatch(problem -> problem.line() > 0);
  }

  @Test
  void routesOfAServerNeedNoClusters() {
    new ResourceFolder(temp).write("a.json", socketListener("server"));

    assertThat(texts(validate().broken()))
        .containsExactly(
            "listener \"server\": filter_chains[0].filters[0].typed_config.rds.route_config_name:"
                + " route configuration \"inbound\" is not in the files, or only with an error;"
                + " add or correct it, or correct the name");

    new ResourceFolder(temp).write("b.json", routes("inbound", "none"));

    assertThat(validate().problems()).isEmpty();
    assertThat(validate().broken()).isEmpty();
  }

  @Test
  void theSameOutOfReachOfListenersIsAWarning() {
    new ResourceFolder(temp).write("a.json", routes("routes", "gone"), cluster("c"));

    var result = validate();

    assertThat(result.broken()).isEmpty();
    assertThat(texts(result.warnings()))
        .anyMatch(text -> text.contains("cluster \"gone\" is not in the files"))
        .anyMatch(text -> text.contains("endpoints \"c\" is not in the files"));
  }

  @Test
  void aClusterOfWhoseEndpointsNoneCanBePickedIsBroken() {
    String weightless =
        """
        {"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
         "cluster_name":"a","endpoints":[{"locality":{},"lb_endpoints":[{"endpoint":{"address":
           {"socket_address":{"address":"10.0.0.1","port_value":80}}}}]}]}\
        """;
    new ResourceFolder(temp).write("a.json", listener("l", "a"), cluster("a"), weightless);

    var result = validate();

    assertThat(texts(result.broken()))
        .containsExactly(
            "endpoints \"a\": endpoints: no call of cluster \"a\" can succeed, since none can be"
                + " picked: 1 locality without load_balancing_weight");
    assertThat(texts(result.warnings()))
        .containsExactly(
            "endpoints \"a\": endpoints[0].load_balancing_weight: is 0 or missing; the locality is"
                + " left out");
  }

  @Test
  void aLeafThatCannotWorkIsBrokenOnlyWhereNoOtherCan() {
    new ResourceFolder(temp)
        .write(
            "a.json",
            listener("l", "some"),
            aggregate("some", "fine", "gone"),
            cluster("fine"),
            endpoints("fine", "10.0.0.1"));
    new ResourceFolder(temp).write("b.json", listener("m", "none"), aggregate("none", "gone"));

    var result = validate();

    assertThat(texts(result.broken()))
        .containsExactly(
            "cluster \"none\": cluster_type.typed_config.clusters[0]: cluster \"gone\" is not in"
                + " the"
                + " files, or only with an error; add or correct it, or correct the name");
    assertThat(texts(result.warnings()))
        .containsExactly(
            "cluster \"some\": cluster_type.typed_config.clusters[1]: cluster \"gone\" is not in"
                + " the"
                + " files, or only with an error; add or correct it, or correct the name");
  }

  @Test
  void aDomainTwiceIsBrokenAndAPrefixWithoutSlashAWarning() {
    String table =
        """
        {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"r",
         "virtual_hosts":[
          {"domains":["a.example","*"],"routes":[
            {"match":{"prefix":"pkg."},"route":{"cluster":"c"}},
            {"match":{"path":"/pkg.S/M"},"route":{"cluster":"c"}}]},
          {"domains":["A.example"]}]}\
        """;
    new ResourceFolder(temp)
        .write(
            "a.json", dynamicListener("l", "r"), table, cluster("c"), endpoints("c", "10.0.0.1"));

    var result = validate();

    assertThat(texts(result.broken()))
        .containsExactly(
            "route configuration \"r\": virtual_hosts[1].domains[0]: \"A.example\" is a domain of"
                + " two virtual hosts; only the first is used; remove one of them");
    assertThat(texts(result.warnings()))
        .containsExactly(
            "route configuration \"r\": virtual_hosts[0].routes[0].match.prefix: \"pkg.\" matches"
                + " no"
                + " request, since every path begins with a slash; write \"/pkg.\"");
  }

  @Conformance("A28-02")
  @Test
  void domainsThatNeverMatchAreWarnedOf() {
    String table =
        """
        {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"r",
         "virtual_hosts":[
          {"domains":["*.example","pay.*","*","[::1]:80"],"routes":[
            {"match":{"prefix":""},"route":{"cluster":"c"}}]},
          {"domains":["a*b","**","*.a.*",""]},
          {"name":"nothing"}]}\
        """;
    new ResourceFolder(temp)
        .write(
            "a.json", dynamicListener("l", "r"), table, cluster("c"), endpoints("c", "10.0.0.1"));

    var result = validate();

    assertThat(result.problems()).isEmpty();
    assertThat(result.broken()).isEmpty();
    String hosts = "route configuration \"r\": virtual_hosts";
    String reason =
        "\" matches no authority; give a name, with at most one star at its start or end";
    assertThat(texts(result.warnings()))
        .containsExactly(
            hosts + "[1].domains[0]: \"a*b" + reason,
            hosts + "[1].domains[1]: \"**" + reason,
            hosts + "[1].domains[2]: \"*.a.*" + reason,
            hosts + "[1].domains[3]: \"" + reason,
            hosts + "[2].domains: is empty, so no authority matches; give a domain, such as *");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"domains\":[\"*\"]}",
        "{\"routes\":[{\"match\":{\"prefix\":\"\"},\"route\":{\"cluster\":\"c\"}}]}",
        "{\"domains\":[\"a*b\"],\"routes\":[{\"match\":{\"prefix\":\"\"},\"route\":{\"cluster\":\"c\"}}]}",
        "{\"domains\":[\"*\"],\"routes\":[{\"match\":{\"prefix\":\"a\"},\"route\":{\"cluster\":\"c\"}}]}",
        "{\"domains\":[\"*\"],\"routes\":[{\"match\":{\"path\":\"a\"},\"route\":{\"cluster\":\"c\"}}]}",
        "{\"domains\":[\"*\"],\"routes\":[{\"match\":{\"prefix\":\"\"},\"route\":{\"cluster_header\":\"h\"}}]}",
      })
  void aTableThatMatchesNoRequestIsBroken(String host) {
    String table =
        """
        {"@type":"type.googleapis.com/envoy.config.route.v3.RouteConfiguration","name":"r",
         "virtual_hosts":[%s]}\
        """
            .formatted(host);
    new ResourceFolder(temp)
        .write(
            "a.json", dynamicListener("l", "r"), table, cluster("c"), endpoints("c", "10.0.0.1"));

    assertThat(texts(validate().broken()))
        .containsExactly(
            "route configuration \"r\": virtual_hosts: match no request; give a domain, such as *, and"
                + " a route");
  }

  private static List<String> texts(List<FileProblem> problems) {
    return problems.stream().map(FileProblem::message).toList();
  }
}
