package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParseException;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CertsReportTest {
  private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

  static final String CERTS =
      """
      [{"instance": "default", "plugin": "file_watcher", "certificates": [
         {"subject": "CN=orders", "uri_sans": ["spiffe://mesh/orders"], "dns_sans": ["orders"],
          "serial": "1f", "not_before": "2026-11-23T00:00:00Z",
          "not_after": "2026-11-26T00:00:00Z"},
         {"subject": "CN=issuing", "uri_sans": [], "dns_sans": [], "serial": "2",
          "not_before": "2026-11-01T00:00:00Z", "not_after": "2026-11-24T00:00:00Z"}],
        "roots": [{"subject": "CN=root"}, {"subject": "CN=other"}],
        "loaded": "2026-11-23T11:00:00.250123Z", "error": null},
       {"instance": "plain", "plugin": "file_watcher", "certificates": [
         {"subject": "CN=a\\u001b[2J", "uri_sans": [], "dns_sans": [], "serial": "1f",
          "not_before": "2026-11-01T00:00:00Z", "not_after": "2026-11-20T12:00:00Z"}],
        "roots": [], "loaded": "2026-11-01T11:00:00Z",
        "error": "private_key_file /k.pem does not exist"},
       {"instance": "roots", "plugin": "file_watcher", "certificates": [], "roots": [],
        "loaded": null, "error": "ca_certificate_file /r.pem does not exist"}]
      """;

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "2026-11-25T12:00:00Z, 2d",
    "2026-11-25T11:59:59Z, 47h",
    "2026-11-23T13:59:59Z, 119m",
    "2026-11-23T12:01:59Z, 119s",
    "2026-11-23T12:00:00Z, 0s",
    "2026-11-23T11:59:59Z, expired 1s ago",
  })
  void theTimeLeftIsRough(String notAfter, String left) {
    String certs =
        """
        [{"instance": "a", "certificates": [{"subject": "CN=a", "uri_sans": [], "dns_sans": [],
          "not_before": "2026-01-01T00:00:00Z", "not_after": "%s"}], "roots": [], "loaded": null, "error": null}]"""
            .formatted(notAfter);

    String end = left.startsWith("expired") ? left : "ends in " + left;
    assertThat(CertsReport.problems(JsonView.listOf(certs), NOW))
        .containsExactly("certificate a (CN=a): " + end);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "nonsense",
        "[1]",
        "[{\"instance\": \"a\", \"certificates\": [{\"not_after\": \"soon\"}]}]",
      })
  void anAnswerOfAnotherFormIsRefused(String certs) {
    assertThatThrownBy(() -> CertsReport.problems(JsonView.listOf(certs), NOW))
        .isInstanceOf(JsonParseException.class);
  }
}
