package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The real program, seen from outside, where files of its bootstrap are late, wrong or never. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
final class BootstrapTimeoutIT {
  @TempDir Path folder;

  private OutriggerProcess start(String timeout, Map<String, String> environment) {
    return OutriggerProcess.start(
        folder,
        environment,
        "run",
        "--forward",
        "0=xds:///a",
        "--admin",
        "127.0.0.1:0",
        "--bootstrap-timeout",
        timeout);
  }

  private OutriggerProcess start(String timeout) {
    return start(timeout, Map.of("GRPC_XDS_BOOTSTRAP", "late.json"));
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  @Conformance("DI-02")
  @Test
  void aBootstrapThatNeverComesIsBadInputInTheEnd() {
    try (var outrigger = start("300ms")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .last()
          .isEqualTo(
              "outrigger: GRPC_XDS_BOOTSTRAP: late.json does not exist; give the path of a"
                  + " gRPC xDS bootstrap; waited 0.3 s for it (--bootstrap-timeout)");
      assertThat(outrigger.errorText()).contains("admin: http://"); // it was there meanwhile
    }
  }

  @Conformance("DI-02")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'{\"type\":\"tls\",\"config\":{\"ca_certificate_file\":\"no.pem\"}}' | '' |"
            + " tls credentials: ca_certificate_file no.pem does not exist",
        "'{\"type\":\"insecure\"}' | '{\"type\":\"jwt_token_file\",\"config\":{"
            + "\"jwt_token_file\":\"no.jwt\"}}' | jwt_token_file no.jwt does not exist"
      })
  void aCredentialFileThatNeverComesIsBadInputInTheEnd(String channel, String calls, String problem)
      throws IOException {
    String bootstrap =
        """
        {"xds_servers": [{"server_uri": "xds.example:443", "channel_creds": [%s],
          "call_creds": [%s]}]}
        """
            .formatted(channel, calls);

    try (var outrigger = start("300ms", Map.of("GRPC_XDS_BOOTSTRAP_CONFIG", bootstrap))) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .last()
          .isEqualTo(
              "outrigger: the text in $GRPC_XDS_BOOTSTRAP_CONFIG: xds server xds.example:443: "
                  + problem
                  + "; waited 0.3 s for it (--bootstrap-timeout)");
    }
  }

  @Conformance("DI-02")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{\"xds_servers\": [{\"server_uri\"",
        "{\"xds_servers\": []}",
        "{\"xds_servers\": [{\"server_uri\": \"xds.example:1\", \"channel_creds\": [{\"type\": \"tls\","
            + " \"config\": {\"ca_certificate_file\": \"late.json\"}}]}]}"
      })
  void whatIsThereAndWrongIsNotWaitedFor(String text) throws IOException {
    write("late.json", text);

    try (var outrigger = start("1h")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .singleElement()
          .asString()
          .startsWith("outrigger: ")
          .contains("late.json");
    }
  }

  @Conformance("DI-02")
  @Test
  void aFolderInPlaceOfTheFileIsNotWaitedFor() throws IOException {
    Files.createDirectory(folder.resolve("late.json"));

    try (var outrigger = start("1h")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .containsExactly(
              "outrigger: GRPC_XDS_BOOTSTRAP: late.json is a folder; give the path of a"
                  + " gRPC xDS bootstrap");
    }
  }

  @Conformance("DI-02")
  @Test
  void sigtermWhileItWaitsIsACleanEnd() {
    try (var outrigger = start("1h").awaitReady(503)) {
      assertThat(outrigger.get("/live").statusCode()).isEqualTo(200);
      assertThat(outrigger.get("/ready").body()).contains("late.json");
      assertThat(outrigger.forward("a", "state")).isEqualTo("WAITING");

      outrigger.terminate();

      assertThat(outrigger.awaitExit()).isZero();
    }
  }

  @Conformance("DI-02")
  @Test
  void aBootstrapThatComesIsUsedAndNamedInTheLog() throws IOException {
    try (var outrigger = start("1h").awaitReady(503)) {
      write(
          "half",
          """
          {"xds_servers": [{"server_uri": "127.0.0.1:1", "channel_creds": [{"type": "insecure"}]}],
           "certificate_providers": {"other": {"plugin_name": "of_somebody"}}}
          """);
      Files.move(folder.resolve("half"), folder.resolve("late.json"));

      outrigger.await(
          "the control plane is asked",
          () -> outrigger.get("/ready").body().contains("127.0.0.1:1"));
      assertThat(outrigger.errorText())
          .contains("bootstrap: late.json (GRPC_XDS_BOOTSTRAP)")
          .contains("late.json:2:38: $.certificate_providers.other");
      assertThat(outrigger.isAlive()).isTrue();
    }
  }

  @Conformance("DI-02")
  @Test
  void withoutTimeNothingIsWaitedFor() {
    try (var outrigger = start("0s")) {
      assertThat(outrigger.awaitExit()).isEqualTo(2);
      assertThat(outrigger.errorLines())
          .containsExactly(
              "outrigger: GRPC_XDS_BOOTSTRAP: late.json does not exist; give the path of a"
                  + " gRPC xDS bootstrap");
    }
  }
}
