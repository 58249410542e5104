package io.outrigger.config.bootstrap;

import static io.outrigger.config.bootstrap.BootstrapTexts.INSECURE;
import static io.outrigger.config.bootstrap.BootstrapTexts.bootstrapWith;
import static io.outrigger.config.bootstrap.BootstrapTexts.errors;
import static io.outrigger.config.bootstrap.BootstrapTexts.read;
import static io.outrigger.config.bootstrap.BootstrapTexts.serverWith;
import static io.outrigger.config.bootstrap.BootstrapTexts.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.XdsServer.CallCredentials;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class BootstrapReaderTest {
  private static XdsServer onlyServer(String serverMembers) {
    return read(serverWith(serverMembers)).servers().get(0);
  }

  @Test
  void theSmallestBootstrapHasDefaultsForTheRest() {
    Bootstrap bootstrap = read(serverWith(INSECURE));

    assertThat(bootstrap)
        .isEqualTo(
            new Bootstrap(
                List.of(
                    new XdsServer(
                        "cp:443",
                        new ChannelCredentials.Insecure(),
                        List.of(),
                        ServerFeatures.NONE)),
                new Node("", "", new Locality("", "", ""), Map.of()),
                Map.of(),
                Map.of(),
                "%s",
                Optional.empty()));
  }

  /** With what a Go program writes of what it does not know: empty objects and nulls. */
  @Test
  @Conformance("DI-03")
  void theFileOfIstiosAgentIsReadAsItStands() {
    BootstrapResult result =
        BootstrapReader.read(
            """
            {
              "xds_servers": [
                {
                  "server_uri": "unix:///etc/istio/proxy/XDS",
                  "channel_creds": [{"type": "insecure", "config": null}],
                  "server_features": ["xds_v3"]
                }
              ],
              "node": {
                "id": "sidecar~10.244.0.7~shop-5f7.default~default.svc.cluster.local",
                "metadata": {
                  "ANNOTATIONS": {"inject.istio.io/templates": "grpc-agent"},
                  "CLUSTER_ID": "Kubernetes",
                  "ENVOY_PROMETHEUS_PORT": 15090,
                  "GENERATOR": "grpc",
                  "INSTANCE_IPS": "10.244.0.7",
                  "PILOT_SAN": ["istiod.istio-system.svc"],
                  "PROXY_CONFIG": {"binaryPath": "/usr/local/bin/envoy", "concurrency": null},
                  "RAW_IDENTITY": null
                },
                "locality": {},
                "UserAgentVersionType": null
              },
              "certificate_providers": {
                "default": {
                  "plugin_name": "file_watcher",
                  "config": {
                    "certificate_file": "/var/lib/istio/data/cert-chain.pem",
                    "private_key_file": "/var/lib/istio/data/key.pem",
                    "ca_certificate_file": "/var/lib/istio/data/root-cert.pem",
                    "refresh_interval": "900s"
                  }
                }
              },
              "authorities": null,
              "server_listener_resource_name_template": "xds.istio.io/grpc/lds/inbound/%s"
            }
            """);

    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    BootstrapResult.Accepted accepted = (BootstrapResult.Accepted) result;
    assertThat(accepted.warnings()).isEmpty();
    XdsServer agent = accepted.bootstrap().servers().get(0);
    assertThat(agent.uri()).isEqualTo("unix:///etc/istio/proxy/XDS");
    assertThat(agent.isUnixSocket()).isTrue();
    Node node = accepted.bootstrap().node();
    assertThat(node.locality()).isEqualTo(new Locality("", "", ""));
    assertThat(node.metadata())
        .containsEntry("GENERATOR", "grpc")
        .containsEntry("PROXY_CONFIG", Map.of("binaryPath", "/usr/local/bin/envoy"))
        .doesNotContainKey("RAW_IDENTITY");
    assertThat(accepted.bootstrap().certificateProviders())
        .extractingByKey("default")
        .isInstanceOf(CertificateProvider.FileWatcher.class);
    assertThat(accepted.bootstrap().authorities()).isEmpty();
    assertThat(accepted.bootstrap().listenerNameTemplate()).isEqualTo("%s");
    assertThat(accepted.bootstrap().serverListenerNameTemplate())
        .contains("xds.istio.io/grpc/lds/inbound/%s");
  }

  @Test
  void theExampleIsReadAsItStands() throws IOException {
    BootstrapResult result =
        BootstrapReader.read(Files.readString(Path.of("examples", "bootstrap.json")));

    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    BootstrapResult.Accepted accepted = (BootstrapResult.Accepted) result;
    assertThat(accepted.warnings()).isEmpty();
    assertThat(accepted.bootstrap().servers())
        .extracting(XdsServer::uri)
        .containsExactly("localhost:18000");
    assertThat(accepted.bootstrap().servers().get(0).credentials())
        .isEqualTo(new ChannelCredentials.Insecure());
    assertThat(accepted.bootstrap().node().id()).isNotEmpty();
  }

  @Test
  @Conformance("A27-01")
  void unknownFieldsAreIgnoredEverywhere() {
    assertThat(
            read("{'future': {'a': 1}, 'node': {'id': 'n', 'future': 1}, 'xds_servers': [{"
                    + "'server_uri': 'cp:443', 'future': [], 'channel_creds':"
                    + " [{'type': 'insecure', 'future': true, 'config': {'future': 1}}]}],"
                    + " 'authorities': {'a': {'future': 2}}}")
                .node()
                .id())
        .isEqualTo("n");
  }

  @Test
  void serversKeepTheOrderOfFallBack() {
    Bootstrap bootstrap =
        read(
            "{'xds_servers': ["
                + "{'server_uri': 'dns:///one:1', 'channel_creds': [{'type': 'insecure'}]},"
                + "{'server_uri': 'unix:///run/cp:70000', 'channel_creds': [{'type': 'tls'}]}]}");

    assertThat(bootstrap.servers())
        .extracting(XdsServer::uri)
        .containsExactly("dns:///one:1", "unix:///run/cp:70000");
  }

  @Test
  @Conformance("A27-02")
  void theFirstSupportedTypeOfChannelCredentialsCounts() {
    assertThat(
            onlyServer("'channel_creds': [{'type': 'alts'}, {'type': 'tls'}, {'type': 'insecure'}]")
                .credentials())
        .isInstanceOf(ChannelCredentials.Tls.class);
    assertThat(
            onlyServer("'channel_creds': [{'type': 'alts'}, {'type': 'insecure'}, {'type': 'tls'}]")
                .credentials())
        .isInstanceOf(ChannelCredentials.Insecure.class);
  }

  @Test
  @Conformance("A27-02")
  void withoutASupportedTypeTheErrorNamesThoseThatAre() {
    assertThat(errors(serverWith("'channel_creds': [{'type': 'alts'}, {'type': 'local'}]")))
        .containsExactly(
            "$.xds_servers[0].channel_creds: none is supported of \"alts\", \"local\";"
                + " add one of type \"tls\" or \"insecure\"");
  }

  @Test
  @Conformance({"A27-02", "DI-06"})
  void googleDefaultIsSupportedWhateverItsConfigIs() {
    assertThat(onlyServer("'channel_creds': [{'type': 'google_default'}]").credentials())
        .isEqualTo(new ChannelCredentials.GoogleDefault());
    assertThat(
            onlyServer("'channel_creds': [{'type': 'google_default', 'config': {}}]").credentials())
        .isEqualTo(new ChannelCredentials.GoogleDefault());
  }

  @Test
  void entriesAfterTheFirstSupportedTypeAreNotRead() {
    assertThat(onlyServer("'channel_creds': [{'type': 'insecure'}, {'type': 7}]").credentials())
        .isEqualTo(new ChannelCredentials.Insecure());
  }

  @Test
  @Conformance("A29-07")
  void tlsTakesItsFilesAndRefreshesThemEvery600SecondsUnlessToldOtherwise() {
    assertThat(onlyServer("'channel_creds': [{'type': 'tls'}]").credentials())
        .isEqualTo(new ChannelCredentials.Tls(CertificateFiles.NONE));
    assertThat(CertificateFiles.NONE.refreshInterval()).isEqualTo(Duration.ofSeconds(600));
    assertThat(
            onlyServer(
                    "'channel_creds': [{'type': 'tls', 'config': {'ca_certificate_file': '/ca',"
                        + " 'certificate_file': '/cert', 'private_key_file': '/key',"
                        + " 'refresh_interval': '1.5s'}}]")
                .credentials())
        .isEqualTo(
            new ChannelCredentials.Tls(
                new CertificateFiles(
                    Optional.of("/cert"),
                    Optional.of("/key"),
                    Optional.of("/ca"),
                    Optional.empty(),
                    Duration.ofMillis(1500))));
  }

  @Test
  @Conformance("A29-07")
  void tlsWithOneOfCertificateAndKeyIsRefused() {
    assertThat(
            errors(
                serverWith(
                    "'channel_creds': [{'type': 'tls', 'config': {'certificate_file': '/c'}},"
                        + " {'type': 'insecure'}]")))
        .containsExactly(
            "$.xds_servers[0].channel_creds[0].config.private_key_file:"
                + " is missing; certificate_file needs it");
    assertThat(
            errors(
                serverWith(
                    "'channel_creds': [{'type': 'tls', 'config': {'private_key_file': '/k'}}]")))
        .containsExactly(
            "$.xds_servers[0].channel_creds[0].config.certificate_file:"
                + " is missing; private_key_file needs it");
  }

  @Test
  void allSupportedCallCredentialsAreKeptAndOthersIgnored() {
    assertThat(
            onlyServer(
                    INSECURE
                        + ", 'call_creds': [{'type': 'sts', 'config': 1},"
                        + " {'type': 'jwt_token_file', 'config': {'jwt_token_file': '/a'}},"
                        + " {'type': 'jwt_token_file', 'config': {'jwt_token_file': '/b'}}]")
                .callCredentials())
        .containsExactly(new CallCredentials("/a"), new CallCredentials("/b"));
  }

  @Test
  @Conformance("A30-02")
  void unknownServerFeaturesAreIgnored() {
    assertThat(
            onlyServer(
                    INSECURE
                        + ", 'server_features': ['xds_v3', 'from_the_future',"
                        + " 'trusted_xds_server', 'fail_on_data_errors',"
                        + " 'resource_timer_is_transient_error']")
                .features())
        .isEqualTo(new ServerFeatures(true, true, true));
  }

  @Test
  @Conformance({"A88-19", "A53-01"})
  void ignoreResourceDeletionChangesNothing() {
    assertThat(onlyServer(INSECURE + ", 'server_features': ['ignore_resource_deletion']"))
        .isEqualTo(onlyServer(INSECURE));
    assertThat(
            onlyServer(
                INSECURE
                    + ", 'server_features': ['fail_on_data_errors', 'ignore_resource_deletion']"))
        .isEqualTo(onlyServer(INSECURE + ", 'server_features': ['fail_on_data_errors']"));
  }

  @Test
  void theOtherSpellingOfTheTimerFeatureIsNotAcceptedButWarnedOf() {
    String bootstrap =
        serverWith(
            INSECURE + ", 'server_features': ['xds_v3', 'resource_timer_is_transient_failure']");

    assertThat(read(bootstrap).servers().get(0).features()).isEqualTo(ServerFeatures.NONE);
    assertThat(warnings(bootstrap))
        .containsExactly(
            "$.xds_servers[0].server_features[1]: \"resource_timer_is_transient_failure\" is not"
                + " a feature; its name is \"resource_timer_is_transient_error\"");
  }

  @Test
  void aTokenThatWouldNeverBeSentIsWarnedOf() {
    String token =
        ", 'call_creds': [{'type': 'jwt_token_file', 'config': {'jwt_token_file': '/t'}}]";

    assertThat(warnings(serverWith(INSECURE + token)))
        .singleElement()
        .asString()
        .startsWith("$.xds_servers[0].call_creds: a token is never sent over")
        .contains("UNAUTHENTICATED")
        .contains("tls");
    assertThat(warnings(serverWith("'channel_creds': [{'type': 'tls'}]" + token))).isEmpty();
    assertThat(warnings(serverWith(INSECURE + ", 'call_creds': []"))).isEmpty();
  }

  @Test
  void theNodeKeepsItsMetadataAsPlainValues() {
    Node node =
        read(bootstrapWith(
                "'node': {'id': 'n1', 'cluster': 'c', 'locality': {'region': 'r', 'zone': 'z',"
                    + " 'sub_zone': 's'}, 'metadata': {'text': 'a', 'number': 1, 'flag': true,"
                    + " 'none': null, 'list': [1, null, 'x'], 'map': {'a': {'b': 2.5}}}}"))
            .node();

    assertThat(node)
        .isEqualTo(
            new Node(
                "n1",
                "c",
                new Locality("r", "z", "s"),
                Map.of(
                    "text",
                    "a",
                    "number",
                    1.0,
                    "flag",
                    true,
                    "list",
                    List.of(1.0, "x"),
                    "map",
                    Map.of("a", Map.of("b", 2.5)))));
  }

  @Test
  @Conformance("A95-01")
  void anAuthorityMayFallBackOnReachabilityOnly() {
    Bootstrap bootstrap =
        read(
            bootstrapWith(
                "'authorities': {'a': {'fallback_on_reachability_only': true},"
                    + " 'b': {'fallback_on_reachability_only': false}, 'c': {}}"));

    assertThat(
            bootstrap.authorities().values().stream().filter(a -> a.fallbackOnReachabilityOnly()))
        .containsExactly(bootstrap.authorities().get("a"));
  }

  @Test
  @Conformance("A47-01")
  void anAuthorityMayHaveServersAndATemplateOfItsOwn() {
    Bootstrap bootstrap =
        read(
            bootstrapWith(
                "'client_default_listener_resource_name_template': 'xdstp://a.example/l/%s',"
                    + " 'authorities': {'a.example': {'client_listener_resource_name_template':"
                    + " 'xdstp://a.example/own/%s', 'xds_servers': [{'server_uri': 'other:1',"
                    + " 'channel_creds': [{'type': 'insecure'}]}]}, '': {}}"));

    assertThat(bootstrap.listenerNameTemplate()).isEqualTo("xdstp://a.example/l/%s");
    assertThat(bootstrap.authorities())
        .isEqualTo(
            Map.of(
                "a.example",
                new Bootstrap.Authority(
                    List.of(
                        new XdsServer(
                            "other:1",
                            new ChannelCredentials.Insecure(),
                            List.of(),
                            ServerFeatures.NONE)),
                    Optional.of("xdstp://a.example/own/%s"),
                    false),
                "",
                new Bootstrap.Authority(List.of(), Optional.empty(), false)));
  }

  @Test
  @Conformance("A29-11")
  void certificateProvidersOfFileWatcherAreRead() {
    assertThat(
            provider(
                "'certificate_file': '/c', 'private_key_file': '/k', 'ca_certificate_file': '/ca',"
                    + " 'spiffe_trust_bundle_map_file': 'map.json', 'refresh_interval': '60s',"
                    + " 'of_a_later_version': {}"))
        .isEqualTo(
            new CertificateProvider.FileWatcher(
                new CertificateFiles(
                    Optional.of("/c"),
                    Optional.of("/k"),
                    Optional.of("/ca"),
                    Optional.of("map.json"),
                    Duration.ofSeconds(60))));
  }

  @Test
  @Conformance("A29-11")
  void identityOrRootsAloneWillDoAndAreReadEvery600Seconds() {
    Optional<String> none = Optional.empty();
    Duration interval = Duration.ofSeconds(600);

    assertThat(provider("'certificate_file': 'c', 'private_key_file': 'c'"))
        .isEqualTo(
            new CertificateProvider.FileWatcher(
                new CertificateFiles(Optional.of("c"), Optional.of("c"), none, none, interval)));
    assertThat(provider("'ca_certificate_file': 'r', 'refresh_interval': null"))
        .isEqualTo(
            new CertificateProvider.FileWatcher(
                new CertificateFiles(none, none, Optional.of("r"), none, interval)));
    assertThat(provider("'spiffe_trust_bundle_map_file': 'm', 'refresh_interval': '1.000s'"))
        .isEqualTo(
            new CertificateProvider.FileWatcher(
                new CertificateFiles(none, none, none, Optional.of("m"), Duration.ofSeconds(1))));
  }

  private static CertificateProvider provider(String config) {
    return read(bootstrapWith(
            "'certificate_providers': {'mesh': {'plugin_name': 'file_watcher', 'config': {"
                + config
                + "}}}"))
        .certificateProviders()
        .get("mesh");
  }

  @Test
  @Conformance("SPW-01")
  void aWorkloadApiHasAnEndpointOrThatOfTheEnvironment() {
    String provider = "'certificate_providers': {'mesh': {'plugin_name': 'spiffe_workload_api'%s}}";
    String named = ", 'config': {'endpoint': 'unix:///run/agent.sock', 'other': 3}";

    assertThat(read(bootstrapWith(provider.formatted(named))).certificateProviders().get("mesh"))
        .isEqualTo(
            new CertificateProvider.WorkloadApi(
                WorkloadEndpoint.parse("unix:///run/agent.sock").toOptional()));
    for (String config : List.of("", ", 'config': {}")) {
      assertThat(read(bootstrapWith(provider.formatted(config))).certificateProviders().get("mesh"))
          .isEqualTo(new CertificateProvider.WorkloadApi(Optional.empty()));
    }
    String path = "$.certificate_providers.mesh.config";
    assertThat(errors(bootstrapWith(provider.formatted(", 'config': {'endpoint': 'agent'}"))))
        .singleElement()
        .asString()
        .startsWith(path + ".endpoint: \"agent\" is of another form; give unix:///");
    assertThat(errors(bootstrapWith(provider.formatted(", 'config': {'endpoint': 7}"))))
        .singleElement()
        .asString()
        .startsWith(path + ".endpoint: ");
    assertThat(errors(bootstrapWith(provider.formatted(", 'config': 7"))))
        .singleElement()
        .asString()
        .startsWith(path + ": ");
  }

  private static String istioCa(String more) {
    return bootstrapWith(
        "'certificate_providers': {'default': {'plugin_name': 'istio_ca', 'config': {"
            + "'ca_address': 'istiod:15012', 'ca_root_file': '/root', 'token_file': '/token'"
            + more
            + "}}}");
  }

  @Test
  @Conformance("IST-05")
  void anIstioCaHasAnAddressRootsAndAToken() {
    assertThat(read(istioCa("")).certificateProviders().get("default"))
        .isEqualTo(
            new CertificateProvider.IstioCa(
                "istiod:15012",
                "/root",
                "/token",
                Optional.empty(),
                Duration.ofHours(24),
                Optional.empty(),
                "cluster.local"));
    String all =
        ", 'cluster_id': 'east', 'validity': '1h30m5s', 'cert_signer': 's/x', 'trust_domain': 'td',"
            + " 'else': 1";
    assertThat(read(istioCa(all)).certificateProviders().get("default"))
        .isEqualTo(
            new CertificateProvider.IstioCa(
                "istiod:15012",
                "/root",
                "/token",
                Optional.of("east"),
                Duration.ofSeconds(5405),
                Optional.of("s/x"),
                "td"));
  }

  @ParameterizedTest
  @Conformance("IST-05")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      value = {
        ", 'validity': 'soon'| validity: \"soon\" is not a duration such as",
        ", 'validity': '0s'  | validity: \"0s\" must be more than zero",
        ", 'validity': '-1s' | validity: \"-1s\" is not a duration such as",
        ", 'validity': ''    | validity: \"\" is not a duration such as",
        ", 'validity': 24    | validity: ",
        ", 'cluster_id': 'a b'| cluster_id: has characters that no header may have",
        ", 'trust_domain': 'a/b'| trust_domain: \"a/b\" is no trust domain",
        ", 'token_file': ''  | token_file: is empty; the path of a file is required",
        ", 'ca_root_file': null| ca_root_file: is missing; a string is required",
        ", 'ca_address': 7   | ca_address: "
      })
  void aWrongSettingOfAnIstioCaIsNamed(String more, String error) {
    assertThat(errors(istioCa(more)))
        .singleElement()
        .asString()
        .startsWith("$.certificate_providers.default.config." + error);
  }

  @Test
  @Conformance("IST-05")
  void anIstioCaNeedsAConfig() {
    String provider = "'certificate_providers': {'default': {'plugin_name': 'istio_ca'%s}}";

    assertThat(errors(bootstrapWith(provider.formatted(""))))
        .containsExactly(
            "$.certificate_providers.default.config.ca_address: is missing; a string is required",
            "$.certificate_providers.default.config.ca_root_file: is missing; a string is required",
            "$.certificate_providers.default.config.token_file: is missing; a string is required");
    assertThat(errors(bootstrapWith(provider.formatted(", 'config': 7")))).hasSize(1);
  }

  @Test
  @Conformance("A29-11")
  void aCertificateProviderOfAnotherPluginIsKeptWithAWarning() {
    String bootstrap =
        bootstrapWith("'certificate_providers': {'x-y': {'plugin_name': 'vault', 'config': 3}}");

    assertThat(read(bootstrap).certificateProviders())
        .isEqualTo(Map.of("x-y", new CertificateProvider.Unknown("vault")));
    assertThat(warnings(bootstrap))
        .containsExactly(
            "$.certificate_providers[\"x-y\"].plugin_name: \"vault\" is not supported: a cluster"
                + " that names this provider is refused; plugins are \"file_watcher\","
                + " \"spiffe_workload_api\" and \"istio_ca\"");
  }
}
