package io.outrigger.proxy.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.BootstrapReader;
import io.outrigger.config.bootstrap.BootstrapResult;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.certificate.MissingFile;
import io.outrigger.xds.certificate.WorkloadResponse;
import io.outrigger.xds.certificate.WorkloadResponse.Svid;
import io.outrigger.xds.testing.FakeWorkloadApi;
import io.outrigger.xds.testing.FakeWorkloadApi.FakeCall;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Whether {@code --bootstrap-timeout} has to wait for a Workload API. */
class FirstAnswerTest {
  private static final String ID = "spiffe://mesh/a";

  @Conformance("SPW-01")
  @Test
  void oneThatAnswersIsNotWaitedFor() throws Exception {
    TestAuthority authority = TestAuthority.named("root");
    TestIdentity identity = authority.issue("uri:" + ID);
    var svid =
        new Svid(
            ID,
            identity.certificate().getEncoded(),
            identity.key().getEncoded(),
            authority.root().getEncoded());

    assertThat(missing(call -> call.answer(new WorkloadResponse(Optional.of(svid), Map.of()))))
        .isEmpty();
  }

  @Conformance("SPW-01")
  @Test
  void oneThatDoesNotIsButIsNotRequired() {
    assertThat(missing(call -> call.end(RpcStatus.unavailable("no socket"))))
        .contains(
            new MissingFile(
                "certificate provider \"mesh\": the Workload API unix:///run/agent.sock:"
                    + " UNAVAILABLE: no socket",
                false));
    assertThat(missing(call -> call.answer(new WorkloadResponse(Optional.empty(), Map.of()))))
        .hasValueSatisfying(file -> assertThat(file.reason()).contains("svids", "is empty"));
    assertThat(missing(call -> {}))
        .hasValueSatisfying(file -> assertThat(file.reason()).endsWith("has not answered yet"));
  }

  private static Optional<MissingFile> missing(Consumer<FakeCall> agent) {
    BootstrapResult read =
        BootstrapReader.read(
            """
                {"xds_servers": [{"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]}],
                 "certificate_providers": {"mesh": {"plugin_name": "spiffe_workload_api",
                   "config": {"endpoint": "unix:///run/agent.sock"}}}}
                """);
    Bootstrap bootstrap = ((BootstrapResult.Accepted) read).bootstrap();
    var api = new FakeWorkloadApi().onOpen(agent);
    Optional<MissingFile> found = MissingFile.of(bootstrap, new FirstAnswer(api)::lack);
    assertThat(api.last().isClosed()).isTrue();
    return found;
  }
}
