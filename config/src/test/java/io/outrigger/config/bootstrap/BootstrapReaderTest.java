package io.outrigger.config.bootstrap;

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
  /** A server with those members besides its URI, in a bootstrap of its own. */
  private static String serverWith(String members) {
    return "{'xds_servers': [{'server_uri': 'cp:443', %s}]}".formatted(members);
  }

  /** A valid bootstrap with that top-level member besides. */
  private static String bootstrapWith(String member) {
    return "{'xds_servers': [{'server_uri': 'cp:443', 'channel_creds': [{'type': 'insecure'}]}], %s}"
        .formatted(member);
  }

  private static String json(String singleQuoted) {
    return singleQuoted.replace('\'', '"');
  }

  private static Bootstrap read(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    return ((BootstrapResult.Accepted) result).bootstrap();
  }

  private static List<String> errors(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Refused.class);
    return ((BootstrapResult.Refused) result).errors().stream().map(Finding::toString).toList();
  }

  private static List<String> warnings(String singleQuoted) {
    BootstrapResult result = BootstrapReader.read(json(singleQuoted));
    assertThat(result).isInstanceOf(BootstrapResult.Accepted.class);
    return ((BootstrapResult.Accepted) result).warnings().stream().map(Finding::toString).toList();
  }

  private static XdsServer onlyServer(String serverMembers) {
    return read(serverWith(serverMembers)).servers().get(0);
  }

  private static final String INSECURE = "'channel_creds': [{'type': 'insecure'}]";

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
                "%s"));
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
                + "{'server_uri': 'unix:///run/cp.sock', 'channel_creds': [{'type': 'tls'}]}]}");

    assertThat(bootstrap.servers())
        .extracting(XdsServer::uri)
        .containsExactly("dns:///one:1", "unix:///run/cp.sock");
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
  void entriesAfterTheFirstSupportedTypeAreNotRead() {
    assertThat(onlyServer("'channel_creds': [{'type': 'insecure'}, {'type': 7}]").credentials())
        .isEqualTo(new ChannelCredentials.Insecure());
  }

  @Test
  @Conformance("A29-07")
  void tlsTakesItsFilesAndRefreshesThemEvery600SecondsUnlessToldOtherwise() {
    assertThat(onlyServer("'channel_creds': [{'type': 'tls'}]").credentials())
        .isEqualTo(
            new ChannelCredentials.Tls(
                Optional.empty(), Optional.empty(), Optional.empty(), Duration.ofSeconds(600)));
    assertThat(
            onlyServer(
                    "'channel_creds': [{'type': 'tls', 'config': {'ca_certificate_file': '/ca',"
                        + " 'certificate_file': '/cert', 'private_key_file': '/key',"
                        + " 'refresh_interval': '1.5s'}}]")
                .credentials())
        .isEqualTo(
            new ChannelCredentials.Tls(
                Optional.of("/ca"),
                Optional.of("/cert"),
                Optional.of("/key"),
                Duration.ofMillis(1500)));
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
  @Conformance("A88-19")
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
                    Optional.of("xdstp://a.example/own/%s")),
                "",
                new Bootstrap.Authority(List.of(), Optional.empty())));
  }

  @Test
  void certificateProvidersOfFileWatcherAreRead() {
    assertThat(
            read(bootstrapWith(
                    "'certificate_providers': {'mesh': {'plugin_name': 'file_watcher',"
                        + " 'config': {'certificate_file': '/c', 'private_key_file': '/k',"
                        + " 'ca_certificate_file': '/ca', 'refresh_interval': '60s'}}}"))
                .certificateProviders())
        .isEqualTo(
            Map.of(
                "mesh",
                new CertificateProvider(
                    Optional.of("/c"),
                    Optional.of("/k"),
                    Optional.of("/ca"),
                    Duration.ofSeconds(60))));
  }

  @Test
  void aCertificateProviderOfAnotherPluginIsLeftOutWithAWarning() {
    String bootstrap =
        bootstrapWith("'certificate_providers': {'x-y': {'plugin_name': 'vault', 'config': 3}}");

    assertThat(read(bootstrap).certificateProviders()).isEmpty();
    assertThat(warnings(bootstrap))
        .containsExactly(
            "$.certificate_providers[\"x-y\"].plugin_name: \"vault\" is left out;"
                + " the only plugin is \"file_watcher\"");
  }

  @Test
  void allErrorsAreFoundInOneReading() {
    assertThat(
            errors(
                "{'xds_servers': [{'server_uri': 7, 'channel_creds': []}, 'x'], 'node': [],"
                    + " 'authorities': {'a': 1}}"))
        .containsExactly(
            "$.xds_servers[0].server_uri: is a number; a string is required",
            "$.xds_servers[0].channel_creds: is empty; add one of type \"tls\" or \"insecure\"",
            "$.xds_servers[1]: is a string; an object is required",
            "$.node: is an array; an object is required",
            "$.authorities.a: is a number; an object is required");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A27-01")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | $: is empty; a JSON object is required",
        "[] | $: is an array; an object is required",
        "{} | $.xds_servers: is missing; at least one control plane is required",
        "{'xds_servers': null} | $.xds_servers: is missing; at least one control plane is required",
        "{'xds_servers': []} | $.xds_servers: is empty; at least one control plane is required",
        "{'xds_servers': {}} | $.xds_servers: is an object; an array is required",
        "{'xds_servers': [{}]} | $.xds_servers[0].server_uri: is missing; a string is required",
      })
  void aBootstrapWithoutControlPlaneIsRefused(String bootstrap, String firstError) {
    assertThat(errors(bootstrap)).first().isEqualTo(firstError);
  }

  @ParameterizedTest(name = "{0}")
  @Conformance("A27-01")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'xds_servers': [{'server_uri' 1}]} | $.xds_servers[0].server_uri: is not JSON: ",
        "{'node': {'id': 'x' | $.node.id: is not JSON: ",
        "{'node': /* me */ {}} | $.node: is not JSON: ",
        "{} {} | $: is not JSON: unexpected text at line 1 column ",
        "nonsense | $: is not JSON: unexpected text at line 1 column ",
      })
  void whatIsNotJsonIsRefusedWithThePlace(String bootstrap, String start) {
    assertThat(errors(bootstrap)).singleElement().asString().startsWith(start).doesNotContain("\n");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'server_uri': '' | .server_uri: \"\" is not a gRPC target such as \"xds.example:443\"",
        "'channel_creds': null | .channel_creds: is missing; give one of type \"tls\" or"
            + " \"insecure\"",
        "'channel_creds': {} | .channel_creds: is an object; an array is required",
        "'channel_creds': [3] | .channel_creds[0]: is a number; an object is required",
        "'channel_creds': [{}] | .channel_creds[0].type: is missing; a string is required",
        "'channel_creds': [{'type': true}] | .channel_creds[0].type: is a boolean; a string is"
            + " required",
        "'channel_creds': [{'type': 'tls', 'config': []}] | .channel_creds[0].config: is an array;"
            + " an object is required",
        "'channel_creds': [{'type': 'tls', 'config': {'ca_certificate_file': 1}}] |"
            + " .channel_creds[0].config.ca_certificate_file: is a number; a string is required",
        "'channel_creds': [{'type': 'tls', 'config': {'refresh_interval': 600}}] |"
            + " .channel_creds[0].config.refresh_interval: is a number; a string is required",
        "'channel_creds': [{'type': 'tls', 'config': {'refresh_interval': '10m'}}] |"
            + " .channel_creds[0].config.refresh_interval: \"10m\" is not a duration such as"
            + " \"600s\"",
        "'channel_creds': [{'type': 'tls', 'config': {'refresh_interval': '-1s'}}] |"
            + " .channel_creds[0].config.refresh_interval: \"-1s\" must be more than zero",
        "'call_creds': [{'type': 'jwt_token_file'}] | .call_creds[0].config: is missing;"
            + " \"jwt_token_file\" needs the path of a token file",
        "'call_creds': [{'type': 'jwt_token_file', 'config': {}}] |"
            + " .call_creds[0].config.jwt_token_file: is missing; a string is required",
        "'call_creds': [{'type': 'jwt_token_file', 'config': {'jwt_token_file': ''}}] |"
            + " .call_creds[0].config.jwt_token_file: is empty; the path of a token file is"
            + " required",
        "'server_features': 'xds_v3' | .server_features: is a string; an array is required",
        "'server_features': [1] | .server_features[0]: is a number; a string is required",
      })
  void aBadServerIsRefusedWithThePathOfTheField(String members, String expected) {
    String server = members.startsWith("'channel_creds'") ? members : members + ", " + INSECURE;
    String bootstrap =
        members.startsWith("'server_uri'")
            ? "{'xds_servers': [{" + server + "}]}"
            : serverWith(server);

    assertThat(errors(bootstrap)).containsExactly("$.xds_servers[0]" + expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A47-01")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'authorities': [] | $.authorities: is an array; an object is required",
        "'authorities': {'a': {'xds_servers': [{'server_uri': 1, 'channel_creds':"
            + " [{'type': 'insecure'}]}]}} | $.authorities.a.xds_servers[0].server_uri: is a"
            + " number; a string is required",
        "'authorities': {'a.b': {'client_listener_resource_name_template': 'xdstp://a.c/%s'}} |"
            + " $.authorities[\"a.b\"].client_listener_resource_name_template: \"xdstp://a.c/%s\""
            + " must start with \"xdstp://a.b/\"",
        "'client_default_listener_resource_name_template': 1 |"
            + " $.client_default_listener_resource_name_template: is a number; a string is"
            + " required",
        "'node': {'id': 1} | $.node.id: is a number; a string is required",
        "'node': {'locality': 'z'} | $.node.locality: is a string; an object is required",
        "'node': {'locality': {'zone': {}}} | $.node.locality.zone: is an object; a string is"
            + " required",
        "'node': {'metadata': 'm'} | $.node.metadata: is a string; an object is required",
        "'certificate_providers': [] | $.certificate_providers: is an array; an object is"
            + " required",
        "'certificate_providers': {'m': {}} | $.certificate_providers.m.plugin_name: is missing;"
            + " a string is required",
        "'certificate_providers': {'m': {'plugin_name': 'file_watcher'}} |"
            + " $.certificate_providers.m.config: is missing; give ca_certificate_file,"
            + " certificate_file or both",
        "'certificate_providers': {'m': {'plugin_name': 'file_watcher', 'config': {}}} |"
            + " $.certificate_providers.m.config: names no file; give ca_certificate_file,"
            + " certificate_file or both",
        "'certificate_providers': {'m': {'plugin_name': 'file_watcher', 'config':"
            + " {'private_key_file': '/k'}}} | $.certificate_providers.m.config.certificate_file:"
            + " is missing; private_key_file needs it",
      })
  void aBadTopLevelFieldIsRefusedWithItsPath(String member, String expected) {
    assertThat(errors(bootstrapWith(member))).containsExactly(expected);
  }
}
