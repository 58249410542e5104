package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.identity.certificate.WorkloadApi;
import io.outrigger.identity.certificate.WorkloadResponse;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.WorkloadAgent;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class GrpcWorkloadApiTest {
  private static final String ID = "spiffe://mesh/a";
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestIdentity IDENTITY = AUTHORITY.issue("uri:" + ID);
  private static final byte[] ONE =
      WorkloadAgent.response(ID, IDENTITY, AUTHORITY, Map.of("spiffe://other", AUTHORITY));

  private final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();
  private final GrpcWorkloadApi api = new GrpcWorkloadApi(Optional.empty());

  @TempDir private Path folder;

  @Conformance("SPW-01")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void answersComeAsTheyArePushed(boolean onSocket) throws Exception {
    try (WorkloadAgent agent = agent(onSocket)) {
      agent.say(ONE);
      WorkloadApi.Call call = open(agent.endpoint());

      var response = (WorkloadResponse) next();
      assertThat(response.first().orElseThrow().id()).isEqualTo(ID);
      assertThat(response.first().orElseThrow().key()).isEqualTo(IDENTITY.key().getEncoded());
      assertThat(response.first().orElseThrow().chain())
          .isEqualTo(IDENTITY.certificate().getEncoded());
      assertThat(response.first().orElseThrow().bundle()).isEqualTo(AUTHORITY.root().getEncoded());
      assertThat(response.federated()).containsOnlyKeys("spiffe://other");

      call.request();
      agent.say(new byte[0]);
      assertThat(((WorkloadResponse) next()).first()).isEmpty();
      assertThat(agent.opened()).isEqualTo(1);
      call.close();
      assertThat(((RpcStatus) next()).code()).isEqualTo(RpcStatus.Code.CANCELLED);
    }
  }

  @Conformance("SPW-01")
  @Test
  void ofSeveralSvidsTheFirstCounts() throws Exception {
    try (WorkloadAgent agent = agent(true)) {
      String other = "spiffe://mesh/b";
      agent.say(
          WorkloadAgent.joined(
              ONE,
              WorkloadAgent.response(other, AUTHORITY.issue("uri:" + other), AUTHORITY, Map.of())));
      open(agent.endpoint());

      assertThat(((WorkloadResponse) next()).first().orElseThrow().id()).isEqualTo(ID);
    }
  }

  @Test
  void whatIsNoMessageEndsTheCall() throws Exception {
    try (WorkloadAgent agent = agent(true)) {
      agent.say(new byte[] {10, 100, 1});
      open(agent.endpoint());

      assertThat(((RpcStatus) next()).message()).contains("its answer is not readable");
    }
  }

  @Test
  void anAnswerHasABound() throws Exception {
    try (WorkloadAgent agent = agent(true)) {
      agent.say(new byte[GrpcWorkloadApi.MAX_RESPONSE_BYTES + 1]);
      open(agent.endpoint());

      assertThat(((RpcStatus) next()).code()).isEqualTo(RpcStatus.Code.RESOURCE_EXHAUSTED);
    }
  }

  @Test
  void theReasonOfAnEndIsTold() throws Exception {
    try (WorkloadAgent agent = agent(true)) {
      agent.say(ONE);
      open(agent.endpoint());
      next();
      agent.end(Status.PERMISSION_DENIED.withDescription("no identity issued"));

      assertThat(next())
          .isEqualTo(new RpcStatus(RpcStatus.Code.PERMISSION_DENIED, "no identity issued"));
    }
  }

  @Test
  void aSocketThatIsNotThereIsTold() throws Exception {
    open("unix://" + folder.resolve("none.sock"));

    assertThat(((RpcStatus) next()).message()).contains("the unix socket does not exist");
  }

  @Test
  void theEnvironmentMayNameTheEndpoint() {
    assertThat(api.ambient().status().message()).contains("SPIFFE_ENDPOINT_SOCKET is not set");
    assertThat(new GrpcWorkloadApi(Optional.of("")).ambient().status().message())
        .contains("SPIFFE_ENDPOINT_SOCKET is not set");
    assertThat(new GrpcWorkloadApi(Optional.of("/run/agent.sock")).ambient().status().message())
        .contains("SPIFFE_ENDPOINT_SOCKET \"/run/agent.sock\" is of another form");
    assertThat(new GrpcWorkloadApi(Optional.of("unix:///run/agent.sock")).ambient().isOk())
        .isTrue();
  }

  private WorkloadAgent agent(boolean onSocket) {
    return onSocket ? new WorkloadAgent(folder.resolve("agent.sock")) : new WorkloadAgent();
  }

  private WorkloadApi.Call open(String endpoint) {
    return api.open(
        WorkloadEndpoint.parse(endpoint).toOptional().orElseThrow(),
        new WorkloadApi.Listener() {
          @Override
          public void onResponse(WorkloadResponse response) {
            heard.add(response);
          }

          @Override
          public void onClosed(RpcStatus reason) {
            heard.add(reason);
          }
        });
  }

  private Object next() throws InterruptedException {
    Object found = heard.poll(60, TimeUnit.SECONDS);
    assertThat(found).isNotNull();
    return found;
  }
}
