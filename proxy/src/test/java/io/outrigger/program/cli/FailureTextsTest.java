package io.outrigger.program.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.CertificateBuilder;
import io.outrigger.dataplane.memory.MemoryPlan;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Machine;
import io.outrigger.program.testing.FailureList;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people read when a command line, or a file that it names, is wrong. */
final class FailureTextsTest {
  private static final String EXAMPLE = "../config/examples/bootstrap.json";
  private static final String FORWARD = "--forward=9001=xds:///orders";

  private final Map<String, String> environment = new HashMap<>();
  private final Path folder;
  private FailureList failures = new FailureList("");
  private int files;

  FailureTextsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text.replace('\'', '"')).toString();
  }

  /** Runs a command line that is to fail, and adds what it prints. */
  private void fails(String title, String... args) {
    var printed = new StringWriter();
    var writer = new PrintWriter(printed, true);
    var context =
        new CommandContext(
            new Entrypoints(
                (options, signals) -> 0,
                List.of(),
                (duration, admin, story, signals) -> 0,
                LiveCheck::run),
            environment,
            writer,
            writer,
            new Machine(2, new MemoryPlan(1 << 30, 1 << 30)),
            logging -> {},
            () -> new Signals(System::nanoTime));

    int exitCode = Main.execute(context, args);

    String text =
        printed
            .toString()
            .lines()
            .filter(line -> !line.endsWith("(--bootstrap): OK") && !line.contains("found; correct"))
            .map(line -> line.replace(folder.toString(), "<folder>"))
            .collect(Collectors.joining("\n"));
    assertThat(exitCode != 0 || text.startsWith("warning: ")).as("%s: %s", title, text).isTrue();
    failures.add(title, text);
  }

  private void runFails(String title, String... args) {
    List<String> all = new ArrayList<>(List.of("run", "--bootstrap", EXAMPLE, FORWARD));
    all.addAll(List.of(args));
    fails(title, all.toArray(String[]::new));
  }

  private void kubeconfigFails(String title, String file) {
    fails(title, "run", "--forward", "9001=k8s:///orders.shop:80", "--kubeconfig", file);
  }

  private void bootstrapFails(String title, String json) throws IOException {
    fails(title, "validate", "--bootstrap", file("bootstrap" + ++files + ".json", json));
  }

  private void serverFails(String title, String members) throws IOException {
    bootstrapFails(title, "{'xds_servers': [{%s}], 'node': {'id': 'n'}}".formatted(members));
  }

  private void providerFails(String title, String plugin, String config) throws IOException {
    bootstrapFails(
        title,
        ("{'xds_servers': [{'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}]}],"
                + " 'certificate_providers': {'x': {'plugin_name': '%s', 'config': {%s}}}}")
            .formatted(plugin, config));
  }

  private void resourceFails(String title, String yaml) throws IOException {
    fails(
        title,
        "validate",
        "--bootstrap",
        EXAMPLE,
        "--resources",
        file("resources" + ++files + ".yaml", "resources:\n" + yaml));
  }

  private void clusterFails(String title, String fields) throws IOException {
    resourceFails(
        title,
        "- '@type': type.googleapis.com/envoy.config.cluster.v3.Cluster\n  name: pay\n"
            + fields.indent(2));
  }

  private void routeFails(String title, String route) throws IOException {
    resourceFails(
        title,
        "- '@type': type.googleapis.com/envoy.config.route.v3.RouteConfiguration\n"
            + "  name: routes\n"
            + "  virtual_hosts:\n  - name: all\n    domains: ['*']\n    routes:\n"
            + ("- " + route.replace("\n", "\n  ")).indent(4));
  }

  private void endpointsFail(String title, String endpoints) throws IOException {
    resourceFails(
        title,
        "- '@type': type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment\n"
            + "  cluster_name: pay\n  endpoints:\n"
            + endpoints.indent(2));
  }

  private void overlayFails(String title, String yaml) throws IOException {
    fails(
        title,
        "validate",
        "--bootstrap",
        EXAMPLE,
        "--overlay",
        file("overlay" + ++files + ".yaml", yaml));
  }

  private String pem(String name, UnaryOperator<CertificateBuilder> change) throws IOException {
    TestIdentity identity = TestAuthority.named("root").issue(change, "dns:a");
    return file(name, identity.keyPem() + identity.chainPem());
  }

  private void identityFails(String title, String begin, String end) throws IOException {
    String path =
        pem(
            "identity" + ++files + ".pem",
            builder -> builder.notBefore(Instant.parse(begin)).notAfter(Instant.parse(end)));
    providerFails(
        title,
        "file_watcher",
        "'certificate_file': '%1$s', 'private_key_file': '%1$s'".formatted(path));
    serverFails(
        title + " for a control plane",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'tls', 'config':"
            + " {'certificate_file': '%1$s', 'private_key_file': '%1$s'}}]".formatted(path));
  }

  private void tokenFails(String title, String path) throws IOException {
    serverFails(
        title,
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}], 'call_creds':"
            + " [{'type': 'jwt_token_file', 'config': {'jwt_token_file': '%s'}}]".formatted(path));
  }

  @Test
  void eachSectionOfTheListHasATest() throws IOException {
    var tested = new HashSet<String>();
    for (String source : List.of("program/cli/FailureTextsTest", "endtoend/FailureTextsIT")) {
      Pattern.compile("new FailureList\\(\"([^\"]+)\"\\)")
          .matcher(Files.readString(Path.of("src/test/java/io/outrigger/" + source + ".java")))
          .results()
          .forEach(found -> tested.add(found.group(1)));
    }
    assertThat(FailureList.sections()).isEqualTo(tested);
  }

  @Test
  void commandLine() throws IOException {
    failures = new FailureList("command line");
    fails("no command");
    fails("an unknown command", "rum");
    fails("an unknown flag", "run", "--bootstrap", EXAMPLE, FORWARD, "--forwrad", "1=xds:///a");
    fails("no forward", "run", "--bootstrap", EXAMPLE);
    fails("no bootstrap", "run", FORWARD);
    fails("a flag without its value", "run", "--bootstrap", EXAMPLE, "--forward");
    fails("a forward without a target", "run", "--bootstrap", EXAMPLE, "--forward", "9001");
    fails("an unknown scheme", "run", "--bootstrap", EXAMPLE, "--forward", "1=http://a");
    fails("a port that is too large", "run", "--bootstrap", EXAMPLE, "--forward", "70000=xds:///a");
    fails("a DNS target without port", "run", "--forward", "9001=dns:///orders");
    fails("a DNS target with a name server", "run", "--forward", "9001=dns://ns/orders:1");
    fails(
        "an authority that is not in the bootstrap",
        "run",
        "--bootstrap",
        EXAMPLE,
        "--forward",
        "9001=xds://other/orders");
    fails(
        "two forwards of one name",
        "run",
        "--bootstrap",
        EXAMPLE,
        "--forward",
        "a@9001=xds:///a",
        "--forward",
        "a@9002=xds:///b");
    fails("a Kubernetes target without port", "run", "--forward", "9001=k8s:///orders.shop");
    fails("a Kubernetes target outside of a pod", "run", "--forward", "9001=k8s:///orders.shop:80");
    kubeconfigFails("a kubeconfig that is missing", folder + "/no");
    kubeconfigFails("a kubeconfig without fields", file("empty-config", "x"));
    kubeconfigFails("a kubeconfig that names no cluster", file("config", "current-context: here"));
    kubeconfigFails(
        "a kubeconfig that starts a program",
        file(
            "exec-config",
            """
            current-context: here
            contexts: [{name: here, context: {cluster: c, user: me}}]
            clusters: [{name: c, cluster: {server: 'https://10.0.0.1'}}]
            users: [{name: me, user: {exec: {command: aws}}}]
            """));
    runFails("a served address without an app", "--serve", "10.0.0.7:8080");
    runFails("a served address without an IP address", "--serve", "8080=8081");
    runFails("a served address that is its own app", "--serve", "10.0.0.7:8080=10.0.0.7:8080");
    runFails(
        "two served addresses of one port",
        "--serve",
        "10.0.0.7:8080=81",
        "--serve",
        "10.0.0.7:8080=82");
    runFails(
        "a state that is never too old", "--state", folder.toString(), "--state-max-age", "0s");
    runFails("a duration without unit", "--drain-delay", "5");
    runFails("a duration that is no number", "--connect-timeout", "soon");
    runFails("a number that is none", "--threads", "many");
    runFails("a number below its minimum", "--threads", "0");
    runFails("an amount of memory without number", "--max-memory", "lots");
    runFails("more memory than can be counted", "--max-memory", "9999999999999GiB");
    runFails("an unknown transport", "--transport", "carrier-pigeon");
    runFails("an unknown log level", "--log-level", "LOUD");
    runFails("an unknown log format", "--log-format", "xml");
    runFails("an admin address without port", "--admin", "localhost");
    runFails("an OTLP endpoint that is no URL", "--otlp", "collector");
    runFails(
        "an access log in a folder that is missing", "--access-log", folder + "/no/access.log");
    runFails("an authority that is none", "--authority", "a b");
    runFails("an unknown experimental metric", "--metrics-experimental", "grpc.no.such");
    runFails("a config file that is missing", "--config", folder + "/no.yaml");
    runFails("a config file that is no YAML", "--config", file("broken.yaml", "forward: [1"));
    runFails("an unknown name in a config file", "--config", file("name.yaml", "forwrad: 1"));
    runFails("a map in a config file", "--config", file("map.yaml", "threads: {a: 1}"));
    environment.put("OUTRIGGER_THREADS", "many");
    runFails("an environment variable that is wrong");
    environment.clear();
    fails("a demo without end", "demo", "--duration", "later");
    fails("an explain without path", "explain", "--forward", "orders");
    fails("a status of nothing", "status", "--admin", "127.0.0.1:1");
    fails("a wait for nothing", "wait", "--admin", "127.0.0.1:1", "--timeout", "100ms");
    fails("a validate of nothing", "validate");
    failures.check();
  }

  @Test
  void bootstrap() throws IOException {
    failures = new FailureList("bootstrap");
    fails("a bootstrap that is missing", "run", FORWARD, "--bootstrap", folder + "/no.json");
    fails("a bootstrap that is a folder", "run", FORWARD, "--bootstrap", folder.toString());
    bootstrapFails("a bootstrap that is no JSON", "{'xds_servers': [");
    bootstrapFails("a bootstrap that is empty", "");
    bootstrapFails("a list in the place of the bootstrap", "[]");
    bootstrapFails("no control plane", "{}");
    bootstrapFails("control planes that are no list", "{'xds_servers': 'cp:1'}");
    serverFails("a server without address", "'channel_creds': [{'type': 'insecure'}]");
    serverFails("a server without credentials", "'server_uri': 'cp:1'");
    serverFails(
        "credentials that are not supported",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'alts'}]");
    serverFails(
        "a certificate without key",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'tls',"
            + " 'config': {'certificate_file': '/c'}}]");
    serverFails(
        "a CA file that is missing",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'tls',"
            + " 'config': {'ca_certificate_file': '/no/ca.pem'}}]");
    serverFails(
        "a CA file without certificate",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'tls',"
            + " 'config': {'ca_certificate_file': '%s'}}]".formatted(file("empty.pem", "x")));
    serverFails(
        "a token file that is missing",
        "'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}],"
            + " 'call_creds': [{'type': 'jwt_token_file', 'config': {}}]");
    tokenFails("a token file that does not exist", folder + "/no.jwt");
    tokenFails("a token file without token", file("empty.jwt", ""));
    String claims =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"exp\":1577836800}".getBytes(UTF_8));
    tokenFails("a token that has expired", file("old.jwt", "e30." + claims + ".c2ln"));
    identityFails("a certificate that has expired", "2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z");
    identityFails(
        "a certificate that is not valid yet", "2999-01-01T00:00:00Z", "2999-02-01T00:00:00Z");
    bootstrapFails(
        "a certificate provider that is not supported",
        "{'xds_servers': [{'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}]}],"
            + " 'certificate_providers': {'x': {'plugin_name': 'vault', 'config': {}}}}");
    bootstrapFails(
        "a certificate provider without files",
        "{'xds_servers': [{'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}]}],"
            + " 'certificate_providers': {'x': {'plugin_name': 'file_watcher', 'config': {}}}}");
    bootstrapFails(
        "a refresh interval that is no duration",
        "{'xds_servers': [{'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}]}],"
            + " 'certificate_providers': {'x': {'plugin_name': 'file_watcher', 'config':"
            + " {'ca_certificate_file': '/ca', 'refresh_interval': '5 minutes'}}}}");
    providerFails("an istio CA without address", "istio_ca", "");
    String ca = "'ca_root_file': '/r', 'token_file': '/t', 'ca_address': ";
    providerFails("an istio CA whose address has a blank", "istio_ca", ca + "'istiod 15012'");
    providerFails("a validity of zero", "istio_ca", ca + "'c:1', 'validity': '0s'");
    providerFails("a Workload API over HTTP", "spiffe_workload_api", "'endpoint': 'http://a:1'");
    serverFails(
        "a server whose port is too large",
        "'server_uri': 'cp:70000', 'channel_creds': [{'type': 'insecure'}]");
    providerFails("an istio CA whose port is too large", "istio_ca", ca + "'istiod:70000'");
    providerFails(
        "a Workload API whose port is too large",
        "spiffe_workload_api",
        "'endpoint': 'tcp://127.0.0.1:70000'");
    bootstrapFails(
        "an authority whose template does not fit",
        "{'xds_servers': [{'server_uri': 'cp:1', 'channel_creds': [{'type': 'insecure'}]}],"
            + " 'authorities': {'a': {'client_listener_resource_name_template': 'x/%s'}}}");
    failures.check();
  }

  @Test
  void resources() throws IOException {
    failures = new FailureList("resources");
    String eds = "type: EDS\neds_cluster_config: {eds_config: {ads: {}}}\n";
    fails("a resource file that is missing", "validate", "--resources", folder + "/no.yaml");
    resourceFails("a file that is no YAML", "- [");
    resourceFails("a resource without type", "- name: pay");
    resourceFails("a resource of an unknown type", "- '@type': type.googleapis.com/no.Such");
    clusterFails("a cluster without type", "");
    clusterFails("a field that does not exist", "type: EDS\nlb_polcy: ROUND_ROBIN");
    clusterFails("a mapping in the place of text", eds + "lb_policy: {a: 1}");
    clusterFails("an EDS cluster without source", "type: EDS");
    clusterFails("a STATIC cluster", "type: STATIC");
    clusterFails("a duration that is none", "type: EDS\nconnect_timeout: 5 s");
    clusterFails("a policy that is not supported", eds + "lb_policy: MAGLEV");
    clusterFails(
        "a ring that is too large",
        eds + "lb_policy: RING_HASH\n" + "ring_hash_lb_config: {minimum_ring_size: 9000000}");
    clusterFails("a percentage above 100", eds + "outlier_detection: {max_ejection_percent: 101}");
    clusterFails("a negative interval", eds + "outlier_detection: {interval: -1s}");
    clusterFails(
        "TLS without provider",
        eds
            + "transport_socket: {name: tls, typed_config: {'@type':"
            + " type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext}}");
    clusterFails(
        "a TLS provider that the bootstrap does not have",
        eds
            + "transport_socket: {name: tls, typed_config: {'@type':"
            + " type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext,"
            + " common_tls_context: {validation_context:"
            + " {ca_certificate_provider_instance: {instance_name: nobody}}}}}");
    routeFails("a route without match", "route: {cluster: pay}");
    routeFails("a regex that is none", "match: {safe_regex: {regex: '('}}\nroute: {cluster: pay}");
    routeFails(
        "weights that add up to nothing",
        "match: {prefix: ''}\nroute: {weighted_clusters: {clusters: [{name: a, weight: 0}]}}");
    routeFails(
        "retries below one",
        "match: {prefix: ''}\nroute: {cluster: a, retry_policy: {retry_on: unavailable,"
            + " num_retries: 0}}");
    endpointsFail(
        "an address that is a name",
        """
        - locality: {zone: a}
          load_balancing_weight: 1
          lb_endpoints:
          - endpoint: {address: {socket_address: {address: pay.example, port_value: 1}}}
        """);
    endpointsFail(
        "one locality twice",
        """
        - {locality: {zone: a}, load_balancing_weight: 1}
        - {locality: {zone: a}, load_balancing_weight: 1}
        """);
    endpointsFail(
        "a gap in the priorities",
        """
        - {locality: {zone: a}, load_balancing_weight: 1, priority: 1}
        """);
    resourceFails(
        "a listener without connection manager",
        "- '@type': type.googleapis.com/envoy.config.listener.v3.Listener\n  name: orders\n"
            + "  api_listener: {}");
    failures.check();
  }

  @Test
  void overlays() throws IOException {
    failures = new FailureList("overlays");
    fails("an overlay that is missing", "validate", "--overlay", folder + "/no.yaml");
    overlayFails("an overlay that is no YAML", "overlay: [");
    overlayFails("an overlay without rules", "rules: []");
    overlayFails("a rule without name", "overlay:\n- clusters: ['*']\n  patch: {}");
    overlayFails("a rule for nothing", "overlay:\n- name: a\n  patch: {timeout: 1s}");
    overlayFails(
        "a rule that patches nothing", "overlay:\n- name: a\n  clusters: ['*']\n  patch: {}");
    overlayFails(
        "a field that may not be patched",
        "overlay:\n- name: a\n  clusters: ['*']\n  patch: {type: EDS}");
    overlayFails(
        "a field that does not exist",
        "overlay:\n- name: a\n  clusters: ['*']\n  patch: {outlier_detecton: {}}");
    overlayFails(
        "a duration that is none",
        "overlay:\n- name: a\n  clusters: ['*']\n  patch: {outlier_detection: {interval: 50ms}}");
    overlayFails(
        "a percentage above 100",
        "overlay:\n- name: a\n  clusters: ['*']\n"
            + "  patch: {outlier_detection: {max_ejection_percent: 101}}");
    failures.check();
  }
}
