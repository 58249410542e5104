package io.outrigger.config.bootstrap;

import static io.outrigger.config.bootstrap.BootstrapTexts.INSECURE;
import static io.outrigger.config.bootstrap.BootstrapTexts.bootstrapWith;
import static io.outrigger.config.bootstrap.BootstrapTexts.errors;
import static io.outrigger.config.bootstrap.BootstrapTexts.serverWith;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad bootstraps, and the exact path that each is refused with. */
final class BootstrapErrorsTest {
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
        "{'xdsServers': []} | $.xds_servers: is missing; at least one control plane is required;"
            + " \"xdsServers\" is not read, write it as \"xds_servers\"",
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
        "'server_uri': 'foo:///x' | .server_uri: \"foo:///x\" has an unknown scheme; write"
            + " host:port, dns:///host:port or unix:///path",
        "'server_uri': '' | .server_uri: \"\" is not a gRPC target such as \"xds.example:443\"",
        "'server_uri': 'cp:65536' | .server_uri: \"cp:65536\": the port is not between 1 and 65535",
        "'server_uri': 'dns:///[::1]:0' | .server_uri: \"dns:///[::1]:0\": the port is not between"
            + " 1 and 65535",
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
            + " .channel_creds[0].config.refresh_interval: \"-1s\" is below \"1s\", the shortest"
            + " interval",
        "'call_creds': [{'type': 'jwt_token_file'}] | .call_creds[0].config.jwt_token_file: is"
            + " missing; a string is required",
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
        "'authorities': {'a': {'fallback_on_reachability_only': 1}} |"
            + " $.authorities.a.fallback_on_reachability_only: is a number; a boolean is required",
        "'client_default_listener_resource_name_template': 1 |"
            + " $.client_default_listener_resource_name_template: is a number; a string is"
            + " required",
        "'server_listener_resource_name_template': [] |"
            + " $.server_listener_resource_name_template: is an array; a string is required",
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
            + " $.certificate_providers.m.config: names no file; give ca_certificate_file,"
            + " certificate_file or both",
        "'certificate_providers': {'m': {'plugin_name': 'file_watcher', 'config': {}}} |"
            + " $.certificate_providers.m.config: names no file; give ca_certificate_file,"
            + " certificate_file or both",
        "'certificate_providers': {'m': {'plugin_name': 'file_watcher', 'config':"
            + " {'private_key_file': '/k'}}} | $.certificate_providers.m.config.certificate_file:"
            + " is missing; private_key_file needs it",
        "'certificate_providers': {'m': {'plugin_name': 'istio_ca', 'config': {'ca_address':"
            + " 'ca:4294967297', 'ca_root_file': '/r', 'token_file': '/t'}}} |"
            + " $.certificate_providers.m.config.ca_address: \"ca:4294967297\": the port is not"
            + " between 1 and 65535",
      })
  void aBadTopLevelFieldIsRefusedWithItsPath(String member, String expected) {
    assertThat(errors(bootstrapWith(member))).containsExactly(expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @Conformance("A29-11")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | : names no file; give ca_certificate_file, certificate_file or both",
        "{'refresh_interval': '5s'} | : names no file; give ca_certificate_file, certificate_file"
            + " or both",
        "[] | : is an array; an object is required",
        "{'certificate_file': '/c'} | .private_key_file: is missing; certificate_file needs it",
        "{'private_key_file': '/k'} | .certificate_file: is missing; private_key_file needs it",
        "{'certificate_file': '/c', 'private_key_file': 7} | .private_key_file: is a number; a"
            + " string is required",
        "{'ca_certificate_file': ['/r']} | .ca_certificate_file: is an array; a string is required",
        "{'ca_certificate_file': ''} | .ca_certificate_file: is empty; the path of a file is"
            + " required",
        "{'spiffe_trust_bundle_map_file': {}} | .spiffe_trust_bundle_map_file: is an object; a"
            + " string is required",
        "{'spiffe_trust_bundle_map_file': ''} | .spiffe_trust_bundle_map_file: is empty; the path"
            + " of a file is required",
        "{'ca_certificate_file': '/r', 'refresh_interval': '0.999999999s'} | .refresh_interval:"
            + " \"0.999999999s\" is below \"1s\", the shortest interval",
        "{'ca_certificate_file': '/r', 'refresh_interval': '0s'} | .refresh_interval: \"0s\" is"
            + " below \"1s\", the shortest interval",
        "{'ca_certificate_file': '/r', 'refresh_interval': '-0.5s'} | .refresh_interval: \"-0.5s\""
            + " is below \"1s\", the shortest interval",
        "{'ca_certificate_file': '/r', 'refresh_interval': '10m'} | .refresh_interval: \"10m\" is"
            + " not a duration such as \"600s\"",
        "{'ca_certificate_file': '/r', 'refresh_interval': 600} | .refresh_interval: is a number; a"
            + " string is required",
      })
  void aBadFileWatcherIsRefusedWithThePathOfTheField(String config, String expected) {
    assertThat(
            errors(
                bootstrapWith(
                    "'certificate_providers': {'m': {'plugin_name': 'file_watcher', 'config': "
                        + config
                        + "}}")))
        .containsExactly("$.certificate_providers.m.config" + expected);
  }
}
