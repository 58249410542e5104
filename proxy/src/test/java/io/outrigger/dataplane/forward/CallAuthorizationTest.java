package io.outrigger.dataplane.forward;

import static io.outrigger.http2.testing.Heads.headers;
import static io.outrigger.http2.testing.Heads.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.IpAddress;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.http2.HeaderList;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;

class CallAuthorizationTest {
  private static final AuthorizationInput.Connection CONNECTION =
      new AuthorizationInput.Connection(
          new PeerIdentity.Plain(), address("192.0.2.1"), address("192.0.2.2"), 8080);

  private static CallAuthorization input(HeaderList headers) {
    return new CallAuthorization(RequestHead.of(headers), CONNECTION);
  }

  private static IpAddress address(String text) {
    return IpAddress.parse(text).orElseThrow();
  }

  @Test
  @Conformance("A41-09")
  void headersAreThoseOnTheWire() {
    CallAuthorization input =
        input(request("k", "1", "x-bin", "AAE=", "k", "2", "host", "other", "k", "", "empty", ""));

    assertThat(input.header("k")).isEqualTo("1,2,");
    assertThat(input.header("x-bin")).isEqualTo("AAE=");
    assertThat(input.header("empty")).isEmpty();
    assertThat(input.header("absent")).isNull();
    assertThat(input.header("k")).isEqualTo("1,2,");
    assertThat(input.header(":method")).isEqualTo("POST");
    assertThat(input.header(":path")).isEqualTo("/pkg.Svc/Call");
    assertThat(input.header(":authority")).isEqualTo("app.local");
    assertThat(input.header(":scheme")).isNull();
  }

  @Test
  @Conformance("A41-09")
  void aHostStandsForAMissingAuthority() {
    CallAuthorization input = input(headers(":method", "GET", ":path", "/a", "host", "pay"));

    assertThat(input.header(":authority")).isEqualTo("pay");
    assertThat(input(headers(":method", "GET", ":path", "/a")).header(":authority")).isNull();
  }

  @Test
  @Conformance("A41-12")
  void addressesAreThoseOfTheConnection() {
    CallAuthorization input = input(request("x-forwarded-for", "10.0.0.1"));

    assertThat(input.connection()).isEqualTo(CONNECTION);
  }
}
