package io.outrigger.xds.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeconfigTest {
  private static final String SERVER = "server: https://10.0.0.1:6443";

  @TempDir private Path folder;

  private Path write(String cluster, String user) throws IOException {
    return Files.writeString(
        folder.resolve("config"),
        """
        current-context: here
        contexts:
        - name: elsewhere
          context: {cluster: none}
        - name: here
          context: {cluster: c, user: me, namespace: default}
        clusters:
        - name: c
          cluster: {%s}
        users:
        - name: me
          user: {%s}
        """
            .formatted(cluster, user));
  }

  private ApiAccess read(String cluster, String user) throws IOException {
    return Kubeconfig.read(write(cluster, user));
  }

  @Conformance("KN-07")
  @Test
  void filesAreRelativeToTheKubeconfigAndReadAnew() throws Exception {
    ApiAccess access =
        read(SERVER + "/, certificate-authority: ca.crt", "tokenFile: t, token: older");

    assertThat(access.server()).hasToString("https://10.0.0.1:6443");
    Files.writeString(folder.resolve("t"), "one");
    assertThat(access.token().orElseThrow().read().text()).isEqualTo("one");
    Files.writeString(folder.resolve("t"), "two");
    assertThat(access.token().orElseThrow().read().text()).isEqualTo("two");
    Files.writeString(folder.resolve("ca.crt"), "a certificate");
    assertThat(access.roots().orElseThrow().read().text()).isEqualTo("a certificate");
  }

  @Conformance("KN-07")
  @Test
  void dataStandsForFiles() throws Exception {
    String data = Base64.getEncoder().encodeToString("a pem".getBytes(StandardCharsets.US_ASCII));

    ApiAccess access =
        read(
            SERVER + ", certificate-authority-data: " + data,
            "client-certificate-data: %s, client-key-data: %s, token: secret, exec: null, as: ''"
                .formatted(data, data));

    assertThat(access.roots().orElseThrow().read().text()).isEqualTo("a pem");
    assertThat(access.chain().orElseThrow().read().text()).isEqualTo("a pem");
    assertThat(access.key().orElseThrow().read().text()).isEqualTo("a pem");
    assertThat(access.token().orElseThrow().read().text()).isEqualTo("secret");
    assertThat(access.toString()).doesNotContain("secret");
    assertThat(access.token().orElseThrow().read().toString()).doesNotContain("secret");
  }

  @Conformance("KN-07")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          | exec: {command: aws} | user "me": exec is not supported: starts a program; give a token
          | auth-provider: {name: gcp} | user "me": auth-provider is not supported: give a token
          | username: u, password: p | user "me": username is not supported
          | as: root | user "me": as is not supported
          | client-certificate: c | give both client-certificate and client-key
          insecure-skip-tls-verify: true || cluster "c": insecure-skip-tls-verify is not supported: give the authority
          tls-server-name: x || tls-server-name is not supported
          proxy-url: http://p || proxy-url is not supported
          certificate-authority-data: "?" || certificate-authority-data is not base64
          """)
  void whatIsNotSupportedIsRefusedWithTheReason(String cluster, String user, String reason)
      throws Exception {
    Path file = write(SERVER + (cluster == null ? "" : ", " + cluster), user == null ? "" : user);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Kubeconfig.read(file))
        .withMessageStartingWith(file + ": ")
        .withMessageContaining(reason);
  }

  @ParameterizedTest
  @CsvSource({
    "server: '',                         is not a URI such as https",
    "server: 'ftp://h',                  is not a URI such as https",
    "server: 'https://h?x=1',            is not a URI such as https",
    "server: 'https://h:65536',          is not a URI such as https",
    "server: 'http://10.0.0.1',          server is http",
  })
  void theServerIsAUriAndCredentialsAreNotShown(String server, String reason) throws Exception {
    Path file = write(server, "token: secret");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Kubeconfig.read(file))
        .withMessageContaining(reason)
        .withMessageNotContaining("secret");
  }

  @Test
  void plainHttpIsForThisMachineOrWithoutCredentials() throws Exception {
    assertThat(read("server: 'http://127.0.0.1:8001'", "token: t").server().getPort())
        .isEqualTo(8001);
    assertThat(read("server: 'http://10.0.0.1:8001'", "").token()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'',                                                is not a kubeconfig",
    "'a: [',                                            is not YAML",
    "'clusters: []',                                    current-context is missing",
    "'current-context: x', 'context \"x\" is not in contexts; add it there'",
    "'{current-context: x, contexts: [{name: x, context: {cluster: y}}]}', 'cluster \"y\" is not in"
        + " clusters; add it there'",
    "'{current-context: x, contexts: [{name: x}]}',     'cluster is missing'",
  })
  void aFileThatIsNoKubeconfigIsToldSo(String text, String reason) throws Exception {
    Path file = Files.writeString(folder.resolve("other"), text);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Kubeconfig.read(file))
        .withMessageStartingWith(file.toString())
        .withMessageContaining(reason);
  }

  @Test
  void aFileThatIsMissingIsToldSo() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Kubeconfig.read(folder.resolve("none")))
        .withMessageContaining("does not exist; give a kubeconfig file that this process can read");
  }

  @Test
  void aPodHasTheServiceAccountOfItsFolder() {
    assertThat(
            ApiAccess.ofPod(
                    Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "443"))
                .server())
        .hasToString("https://[fd00::1]:443");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ApiAccess.ofPod(Map.of()))
        .withMessageContaining("--kubeconfig FILE");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ApiAccess.ofPod(Map.of("KUBERNETES_SERVICE_HOST", "a b")))
        .withMessageContaining("are no host and port");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ApiAccess.ofPod(
                    Map.of("KUBERNETES_SERVICE_HOST", "h", "KUBERNETES_SERVICE_PORT", "65536")))
        .withMessageContaining("are no host and port");
  }

  @Test
  void aPathThatNoFileCanHaveIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(SERVER + ", certificate-authority: \"a\\0b\"", ""))
        .withMessageStartingWith(folder.resolve("config").toString())
        .withMessageContaining("is not a path of this system");
  }
}
