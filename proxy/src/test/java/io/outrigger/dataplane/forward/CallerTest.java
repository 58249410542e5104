package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.IpAddress;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.http2.PeerErrors;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallerTest {
  private static Caller remote(PeerIdentity identity) {
    var loopback = IpAddress.of(InetAddress.getLoopbackAddress());
    return new Caller.Remote(
        TargetResolver.none(),
        new AuthorizationInput.Connection(identity, loopback, loopback, 8080),
        Optional.empty());
  }

  @Test
  void aCallerIsNamedByItsCertificate() {
    var orders = new PeerIdentity.Certified(List.of("spiffe://mesh/orders"), List.of(), "O=mesh");

    assertThat(remote(orders).side()).isEqualTo(PeerErrors.Side.CALLER);
    assertThat(remote(orders).described("10.0.0.1:5"))
        .isEqualTo("10.0.0.1:5 (spiffe://mesh/orders)");
    assertThat(remote(new PeerIdentity.Plain()).described("10.0.0.1:5")).isEqualTo("10.0.0.1:5");
  }

  @Test
  void anAppHasNoName() {
    Caller app = new Caller.Local(TargetResolver.none());

    assertThat(app.side()).isEqualTo(PeerErrors.Side.APP);
    assertThat(app.described("127.0.0.1:5")).isEqualTo("127.0.0.1:5");
  }
}
