package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.ByteSize;
import io.outrigger.base.DurationText;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The small grammars of flag values. */
final class TextFormsTest {
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "5s, PT5S",
    "250ms, PT0.25S",
    "30m, PT30M",
    "1h, PT1H",
    "2d, PT48H",
    "0s, PT0S",
    "1.5s, PT1.5S",
    "0.001ms, PT0.000001S",
    "2147483648ms, PT596H31M23.648S",
  })
  void durations(String text, Duration expected) {
    assertThat(DurationText.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-5s", "5 s", "1h30m", "5S", "1e3s", "5us"})
  void whatIsNoDuration(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"%s\" is not a duration such as 250ms, 5s, 30m or 1h", text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"36501d", "9999999999s", "99999999999999h", "9223372036854775808ms"})
  void aDurationMustFitIntoNanoseconds(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .hasMessage("\"%s\" is longer than a hundred years", text);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "0, 0",
    "65536, 65536",
    "64KiB, 65536",
    "64 KiB, 65536",
    "64kib, 65536",
    "1Mi, 1048576",
    "2GiB, 2147483648",
    "1TiB, 1099511627776",
    "1tb, 1000000000000",
    "10MB, 10000000",
    "7B, 7",
    "9223372036854775807, 9223372036854775807",
  })
  void sizes(String text, long expected) {
    assertThat(ByteSize.parse(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "KiB", "-1", "1.5GiB", "64K", "64 apples"})
  void whatIsNoSize(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"%s\" is not a size such as 65536, 64KiB or 1GiB", text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"999999999999999GiB", "9223372036854775808", "99999999999999999999"})
  void aSizeMustFitIntoALong(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"%s\" is too large", text);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "9001, 127.0.0.1:9001",
    "0, 127.0.0.1:0",
    "0.0.0.0:80, 0.0.0.0:80",
    "localhost:0, localhost:0",
    "[::1]:9001, [::1]:9001",
    "[fe80::1%eth0]:65535, [fe80::1%eth0]:65535",
    "unix:/run/orders.sock, unix:/run/orders.sock",
    "unix:///run/orders.sock, unix:/run/orders.sock",
  })
  void addresses(String text, String expected) {
    assertThat(ListenAddress.parse(text)).hasToString(expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "'', '\"\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001'",
    "host, '\"host\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001'",
    ":80, '\":80\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001'",
    "::1:80, '\"::1:80\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001'",
    "[host]:80, '\"[host]:80\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001'",
    "a:65536, '\"a:65536\": port 65536 is above 65535'",
    "a:99999999999, '\"a:99999999999\": port 99999999999 is above 65535'",
    "unix:, '\"unix:\" has no absolute path; write it as unix:/run/orders.sock'",
    "unix:a, '\"unix:a\" has no absolute path; write it as unix:/run/orders.sock'",
  })
  void whatIsNoAddress(String text, String reason) {
    assertThatThrownBy(() -> ListenAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(reason);
  }

  @Test
  void aSocketPathFitsIntoItsSystemStructure() {
    String longest = "unix:/" + "a".repeat(106);

    assertThat(ListenAddress.parse(longest)).hasToString(longest);
    assertThatThrownBy(() -> ListenAddress.parse(longest + "a"))
        .hasMessageEndingWith("the path is longer than 107 bytes");
  }

  @ParameterizedTest(name = "{0} and {1} collide: {2}")
  @CsvSource({
    "9001, 127.0.0.1:9001, true",
    "9001, 9002, false",
    "0, 0, false",
    "9001, [::1]:9001, false",
    "9001, 0.0.0.0:9001, true",
    "[::]:9001, 9001, true",
    "unix:/a, unix:/a, true",
    "unix:/a, unix:/b, false",
    "unix:/a, 9001, false",
  })
  void collisions(String one, String other, boolean collide) {
    assertThat(ListenAddress.parse(one).collidesWith(ListenAddress.parse(other)))
        .isEqualTo(collide);
  }

  @Conformance("SC-32")
  @ParameterizedTest(name = "{0} -> authority {1}, path {2}, virtual hosts see {3}")
  @CsvSource({
    "xds:///orders, , orders, orders",
    "xds:orders, , orders, orders",
    "XDS:///orders, , orders, orders",
    "xds:///orders.example:443, , orders.example:443, orders.example:443",
    "xds://east.example/orders, east.example, orders, orders",
    "xds://east.example/a/b, east.example, a/b, a%2Fb",
    "xds:///a%20b%25%C3%BC@1, , a b%ü@1, a%20b%25%C3%BC@1",
  })
  void targets(String text, String authority, String path, String dataPlaneAuthority) {
    Target.Xds expected = new Target.Xds(Optional.ofNullable(authority), path);

    assertThat(Target.parse(text)).isEqualTo(expected);
    assertThat(expected.dataPlaneAuthority()).isEqualTo(dataPlaneAuthority);
  }

  @Conformance("DI-08")
  @ParameterizedTest(name = "{0} -> {1} {2}")
  @CsvSource({
    "dns:///orders:50051, orders, 50051, orders:50051",
    "DNS:///Orders.example.:1, Orders.example., 1, Orders.example.:1",
    "dns:orders:65535, orders, 65535, orders:65535",
    "dns:///10.0.0.1:50051, 10.0.0.1, 50051, 10.0.0.1:50051",
    "dns:///[2001:DB8:0::1]:50051, 2001:db8::1, 50051, [2001:db8::1]:50051",
    "dns:///_grpc.my-svc.ns.svc:80, _grpc.my-svc.ns.svc, 80, _grpc.my-svc.ns.svc:80",
  })
  void namesOfDns(String text, String host, int port, String authority) {
    var target = (Target.Dns) Target.parse(text);

    assertThat(target.name()).isEqualTo(new ClusterSource.Dns(host, port, false));
    assertThat(target.dataPlaneAuthority()).isEqualTo(authority);
    assertThat(target.forwardName()).isEqualTo(authority);
    assertThat(target).hasToString("dns:///" + authority);
  }

  @Conformance("DI-08")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "dns:///orders | it has no port; add the one that the backends listen on, such as"
            + " dns:///orders:50051",
        "dns:///[::1] | it has no port; add the one that the backends listen on, such as"
            + " dns:///[::1]:50051",
        "dns:///orders: | it has no port",
        "dns:///orders:0 | \"0\" is not a port from 1 to 65535",
        "dns:///orders:65536 | \"65536\" is not a port",
        "dns:///orders:http | \"http\" is not a port",
        "dns:///a:1:2 | it has several colons; write an IPv6 address in brackets, such as"
            + " dns:///[::1]:50051",
        "dns:///::1:50051 | it has several colons; write an IPv6 address in brackets",
        "dns:///[::1:50051 | the ] is missing",
        "dns:///[10.0.0.1]:1 | 10.0.0.1 is not an IPv6 address",
        "dns:///:50051 | \"\" is not a host name",
        "dns:///a b:1 | \"a b\" is not a host name",
        "dns:///a..b:1 | \"a..b\" is not a host name",
        "dns:///a/b:1 | \"a/b\" is not a host name",
        "dns:/// | it names nothing",
        "dns://orders:50051 | did you mean dns:///orders:50051?",
        "dns://8.8.8.8/orders:1 | a name server in the target is not supported, the system's are"
            + " used; write it as dns:///orders:1",
      })
  void whatIsNoNameOfDns(String text, String reason) {
    assertThatThrownBy(() -> Target.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\" is not a target such as dns:///orders:50051: ")
        .hasMessageContaining(reason);
  }

  @Conformance("KN-01")
  @ParameterizedTest(name = "{0} -> {1}, {2}")
  @CsvSource({
    "k8s:///orders.shop:8080, k8s:///orders.shop:8080, orders.shop:8080",
    "k8s:orders.shop:08080, k8s:///orders.shop:8080, orders.shop:8080",
    "K8S:///orders.shop:grpc, k8s:///orders.shop:grpc, orders.shop",
    "k8s:///a-1.b-2:1, k8s:///a-1.b-2:1, a-1.b-2:1",
  })
  void services(String text, String canonical, String authority) {
    Target.Kubernetes target = (Target.Kubernetes) Target.parse(text);

    assertThat(target).hasToString(canonical);
    assertThat(target.dataPlaneAuthority()).isEqualTo(authority);
    assertThat(target.forwardName()).isEqualTo(authority);
  }

  @Conformance("KN-01")
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "k8s:///orders.shop | it needs a service, its namespace and a port",
        "k8s:///orders:8080 | it needs a service, its namespace and a port",
        "k8s:///Orders.shop:8080 | each in small letters and digits",
        "k8s:///orders.shop:8080/x | it needs a service",
        "k8s://east/orders.shop:8080 | it needs a service",
        "k8s:///orders.shop:0 | \"0\" is not a port from 1 to 65535",
        "k8s:///orders.shop:65536 | \"65536\" is not a port",
        "k8s:///orders.shop:123456 | \"123456\" is not a port",
        "k8s:///orders.shop.svc.cluster.local:80 | leave out what follows the namespace:"
            + " k8s:///orders.shop:80",
        "k8s:///orders.shop.svc | leave out what follows the namespace: k8s:///orders.shop",
      })
  void whatIsNoService(String text, String reason) {
    assertThatThrownBy(() -> Target.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "\"" + text + "\" is not a target such as k8s:///orders.shop:8080: ")
        .hasMessageContaining(reason);
  }

  @Test
  void theStarTakesTheServiceFromEachRequest() {
    Target target = Target.parse("xds:///*");

    assertThat(target).isEqualTo(new Target.ByAuthority()).hasToString("xds:///*");
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | is not a target such as xds:///orders, xds://authority/orders, dns:///orders:50051 or"
            + " k8s:///orders.shop:8080",
        "orders | is not a target such as xds:///orders, xds://authority/orders, dns:///",
        "http:///orders | is not a target such as xds:///orders, xds://authority/orders, dns:///",
        "xds:/// | it names nothing",
        "xds://orders | did you mean xds:///orders?",
        "xds:///a b | Illegal character in path",
        "xds:///a?b=c | it has a query or a fragment",
        "xds://east/* | is not supported; write it as xds:///*",
      })
  void whatIsNoTarget(String text, String reason) {
    assertThatThrownBy(() -> Target.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"" + text + "\"")
        .hasMessageContaining(reason);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "9001=xds:///orders, orders@127.0.0.1:9001=xds:///orders",
    "mine@9001=xds:///orders, mine@127.0.0.1:9001=xds:///orders",
    "9001=xds:///*, *@127.0.0.1:9001=xds:///*",
    "[::1]:0=xds://east/a/b, a/b@[::1]:0=xds://east/a/b",
    "unix:/run/a=b@c=xds:///orders, orders@unix:/run/a=b@c=xds:///orders",
    "mine@unix:/run/o=xds:///orders, mine@unix:/run/o=xds:///orders",
    "9001=xds:///a=b, a=b@127.0.0.1:9001=xds:///a=b",
  })
  void forwards(String text, String expected) {
    assertThat(ForwardSpec.parse(text)).hasToString(expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "9001 | \"9001\" has no target; write it as 9001=xds:///orders",
        "@9001=xds:///a | \"@9001=xds:///a\" has an empty name before the @",
        "x=xds:///a | \"x\" is not an address such as 9001, 127.0.0.1:9001 or [::1]:9001",
        "9001=orders | \"orders\" is not a target such as xds:///orders, xds://authority/orders,"
            + " dns:///orders:50051 or k8s:///orders.shop:8080",
      })
  void whatIsNoForward(String text, String reason) {
    assertThatThrownBy(() -> ForwardSpec.parse(text)).hasMessage(reason);
  }
}
