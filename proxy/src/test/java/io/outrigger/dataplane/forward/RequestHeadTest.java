package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.PlannedCall;
import io.outrigger.program.testing.mesh.OneRoute;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RequestHeadTest {
  private static final HashPolicy BY_KEY = new HashPolicy.Header("k", Optional.empty(), false);

  private final CallScript script = new CallScript();

  @Test
  void itReadsAHeadAsACallWould() {
    HeaderList fields =
        request(
            "content-type", "application/grpc",
            "grpc-timeout", "2S",
            "x-outrigger-wait-for-ready", "true",
            "k", "1",
            "k", "2");
    RequestHead head = RequestHead.of(fields);

    assertThat(head.method().toString()).isEqualTo("POST");
    assertThat(head.path()).isEqualTo("/pkg.Svc/Call");
    assertThat(head.authority().toString()).isEqualTo("app.local");
    assertThat(head.isGrpc()).isTrue();
    assertThat(head.waitsForReady()).isTrue();
    assertThat(head.appTimeoutNanos()).isEqualTo(2_000_000_000L);
    assertThat(head.headers()).isSameAs(fields);
    assertThat(head.header("k")).isEqualTo("1,2");
    assertThat(head.header("other")).isNull();
  }

  @Test
  void ofARequestThatIsNotGrpcNoTimeoutCounts() {
    RequestHead head = RequestHead.of(request("grpc-timeout", "2S"));

    assertThat(head.isGrpc()).isFalse();
    assertThat(head.waitsForReady()).isFalse();
    assertThat(head.appTimeoutNanos()).isEqualTo(EffectiveTimeout.NONE);
  }

  private PlannedCall planned(RouteAction action, Optional<List<EndpointAddress>> session) {
    var match = new RouteMatch(new StringMatcher.Prefix("/", false), List.of(), Optional.empty());
    return RequestHead.of(request("k", "1"))
        .on(new Route("main", 0, match, action, Map.of()), script.forward.channelId(), session);
  }

  private static RouteAction hashed(HashPolicy... policies) {
    return new RouteAction.Forward(
        new ClusterChoice.Single("pay"),
        OneRoute.noLimit(),
        HostRewrite.NONE,
        List.of(policies),
        Optional.empty());
  }

  @Test
  void itsHashIsThatOfTheRoute() {
    assertThat(planned(hashed(BY_KEY), Optional.empty()).hash()).hasValue(Xxh64.hash("1"));
    assertThat(planned(hashed(new HashPolicy.ChannelId(false)), Optional.empty()).hash())
        .hasValue(script.forward.channelId());
    assertThat(planned(hashed(), Optional.empty()).hash()).as("random").isEmpty();
    assertThat(planned(new RouteAction.Unsupported("redirect"), Optional.empty()).hash()).isEmpty();
  }

  @Test
  void policiesSeeItsHeadersAndItsSession() {
    var before = new EndpointAddress("10.0.0.7", 80);
    PlannedCall call = planned(hashed(), Optional.of(List.of(before)));

    assertThat(call.header("k")).isEqualTo("1");
    assertThat(call.header("other")).isNull();
    assertThat(call.session()).contains(List.of(before));
    assertThat(planned(hashed(), Optional.empty()).session()).isEmpty();
  }
}
