package io.outrigger.lb.endpoint;

import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbNode;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FailingPolicyTest {
  private static final RpcStatus STATUS = RpcStatus.unavailable("no usable endpoint");

  private final FakeParent parent = new FakeParent();

  @Conformance({"SC-21", "A31-09", "A88-20"})
  @Test
  void onlyAClusterThatDoesNotExistFailsCallsThatWait() {
    policy(new LbConfig.Failing(STATUS, false));
    assertThat(parent.pick()).isEqualTo(new PickResult.Fail(STATUS, false));

    policy(new LbConfig.Failing(STATUS, true));
    assertThat(parent.pick()).isEqualTo(new PickResult.Fail(STATUS, true));

    policy(new LbConfig.Failing(absence(RpcStatus.Code.NOT_FOUND), true));
    assertThat(parent.pick()).isEqualTo(new PickResult.Drop(STATUS, PickResult.Reason.NO_CLUSTER));
    policy(new LbConfig.Failing(absence(RpcStatus.Code.PERMISSION_DENIED), true));
    assertThat(parent.pick()).isEqualTo(new PickResult.Drop(STATUS, PickResult.Reason.NO_CLUSTER));
    assertThat(parent.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Test
  void viewsShowTheReason() {
    for (RpcStatus status : List.of(STATUS, absence(RpcStatus.Code.NOT_FOUND))) {
      var config = new LbConfig.Failing(status, true);
      assertThat(Samples.describe(policy(config), "pay"))
          .isEqualTo(
              new LbNode(
                  "pay",
                  config.policy(),
                  TRANSIENT_FAILURE,
                  Map.of(),
                  "no usable endpoint",
                  List.of(),
                  List.of(),
                  true));
    }
  }

  private static RpcStatus absence(RpcStatus.Code code) {
    return new RpcStatus(code, STATUS.message());
  }

  private LbPolicy policy(LbConfig config) {
    LbPolicy policy = LeafPolicies.create(parent.context(1), config, parent);
    parent.loop().inside(() -> policy.update(config));
    return policy;
  }
}
