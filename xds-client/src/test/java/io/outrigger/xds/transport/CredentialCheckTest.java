package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.BootstrapReader;
import io.outrigger.config.bootstrap.BootstrapResult;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a bootstrap that {@code validate} looks at. */
class CredentialCheckTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");

  @TempDir private Path folder;

  private CredentialCheck check(TestIdentity identity) throws IOException {
    Files.writeString(folder.resolve("chain.pem"), identity.chainPem());
    Files.writeString(folder.resolve("key.pem"), identity.keyPem());
    Files.writeString(
        folder.resolve("roots.pem"),
        AUTHORITY.rootPem() + TestIdentity.pem("X509 CRL", new byte[9]));
    String files =
        """
        {"certificate_file": "DIR/chain.pem", "private_key_file": "DIR/key.pem",
         "ca_certificate_file": "DIR/roots.pem"}
        """;
    String json =
        """
        {"xds_servers": [{"server_uri": "cp:443",
           "channel_creds": [{"type": "tls", "config": FILES}]}],
         "node": {"id": "n"},
         "certificate_providers": {
           "default": {"plugin_name": "file_watcher", "config": FILES},
           "later": {"plugin_name": "file_watcher", "config": {"ca_certificate_file": "/no/a.pem"}},
           "alien": {"plugin_name": "hsm", "config": {}}}}
        """
            .replace("FILES", files)
            .replace("DIR", folder.toString());
    var read = (BootstrapResult.Accepted) BootstrapReader.read(json);
    return CredentialCheck.of(read.bootstrap());
  }

  @Test
  @Conformance("A29-04")
  void expiredCertificatesAreErrorsAndPassedOverPartsAreWarnings() throws IOException {
    CredentialCheck check = check(AUTHORITY.issueExpired("dns:a"));

    assertThat(check.errors()).hasSize(2);
    assertThat(check.errors().get(0))
        .startsWith("xds server cp:443: certificate_file: the identity of CN=")
        .contains(" has expired at ");
    assertThat(check.errors().get(1))
        .startsWith("certificate provider \"default\": certificate_file: the identity of CN=")
        .contains(" has expired at ");
    assertThat(check.warnings()).hasSize(3);
    assertThat(check.warnings()).filteredOn(text -> text.contains("X509 CRL")).hasSize(2);
    assertThat(check.warnings())
        .contains("certificate provider \"later\": ca_certificate_file /no/a.pem does not exist");
  }

  @Test
  @Conformance("A29-04")
  void certificatesThatAreNotYetValidAreErrors() throws IOException {
    assertThat(check(AUTHORITY.issueForTomorrow("dns:a")).errors())
        .hasSize(2)
        .allSatisfy(
            error ->
                assertThat(error)
                    .contains("certificate_file: the identity of CN=")
                    .contains(" is not valid before "));
  }

  @Test
  @Conformance("A29-04")
  void certificatesThatAreValidAreNoErrors() throws IOException {
    assertThat(check(AUTHORITY.issue("dns:a")).errors()).isEmpty();
  }
}
