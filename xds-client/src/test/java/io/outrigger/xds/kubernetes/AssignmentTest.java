package io.outrigger.xds.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.SliceText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AssignmentTest {
  private static final Optional<String> NO_ZONE = Optional.empty();

  private static Outcome<Any> outcome(String port, Optional<String> zone, List<SliceText> slices) {
    return new Assignment(new ServicePort("orders", "shop", port), zone)
        .of(slices.stream().map(AssignmentTest::read).toList());
  }

  private static EndpointSlice read(SliceText slice) {
    byte[] json = slice.json(1).toString().getBytes(StandardCharsets.UTF_8);
    return ApiObject.read(json).orElseThrow().slice();
  }

  private static ClusterLoadAssignment of(String port, Optional<String> zone, SliceText... slices) {
    Any found = outcome(port, zone, List.of(slices)).toOptional().orElseThrow();
    List<SliceText> reversed = new ArrayList<>(List.of(slices));
    Collections.reverse(reversed);
    assertThat(outcome(port, zone, reversed))
        .as("the order is nothing")
        .isEqualTo(Outcome.ok(found));
    try {
      return found.unpack(ClusterLoadAssignment.class);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static RpcStatus failure(String port, SliceText... slices) {
    return outcome(port, NO_ZONE, List.of(slices)).status();
  }

  /** Such as {@code a/0 weight 2: HEALTHY 10.0.0.1:80+::1:80}, one for each locality. */
  private static List<String> shown(ClusterLoadAssignment assignment) {
    return assignment.getEndpointsList().stream().map(AssignmentTest::shown).toList();
  }

  private static String shown(LocalityLbEndpoints locality) {
    return locality.getLocality().getZone()
        + "/"
        + locality.getPriority()
        + " weight "
        + locality.getLoadBalancingWeight().getValue()
        + ": "
        + String.join(
            ", ", locality.getLbEndpointsList().stream().map(AssignmentTest::shown).toList());
  }

  private static String shown(LbEndpoint endpoint) {
    return endpoint.getHealthStatus()
        + " "
        + String.join(
            "+",
            Stream.concat(
                    Stream.of(endpoint.getEndpoint().getAddress()),
                    endpoint.getEndpoint().getAdditionalAddressesList().stream()
                        .map(each -> each.getAddress()))
                .map(address -> shown(address.getSocketAddress()))
                .toList());
  }

  private static String shown(SocketAddress address) {
    return address.getAddress() + ":" + address.getPortValue();
  }

  private static SliceText slice(String name) {
    return SliceText.of(name, "orders").port("grpc", 80);
  }

  @Conformance("KN-01")
  @Test
  void anEndpointInTwoSlicesCountsOnce() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a").ready("10.0.0.1", "::1"),
                    slice("b").ready("10.0.0.1", "10.0.0.2"))))
        .containsExactly("/0 weight 3: HEALTHY 10.0.0.1:80, HEALTHY 10.0.0.2:80, HEALTHY ::1:80");
  }

  @Conformance("KN-01")
  @Test
  void bothAddressesOfAPodAreOneEndpoint() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("6").ready("2001:db8::1").uid("one").ready("2001:db8::2").uid("two"),
                    slice("4").ready("10.0.0.1").uid("one"))))
        .containsExactly("/0 weight 2: HEALTHY 10.0.0.1:80+2001:db8::1:80, HEALTHY 2001:db8::2:80");
  }

  @Conformance("KN-01")
  @Test
  void aPortByNameTakesEachSlicesOwnNumber() {
    SliceText old = SliceText.of("a", "orders").port("grpc", 80).port("http", 81).ready("10.0.0.1");
    SliceText recent =
        SliceText.of("b", "orders").port("http", 91).port("grpc", 90).ready("10.0.0.2");
    SliceText other = SliceText.of("c", "orders").port("http", 80).ready("10.0.0.3");

    assertThat(shown(of("grpc", NO_ZONE, old, recent, other)))
        .containsExactly("/0 weight 2: HEALTHY 10.0.0.1:80, HEALTHY 10.0.0.2:90");
    assertThat(shown(of("80", NO_ZONE, old, recent, other)))
        .containsExactly("/0 weight 2: HEALTHY 10.0.0.1:80, HEALTHY 10.0.0.3:80");
  }

  /** Such as the slice of IPv6 addresses of a Service whose pods have IPv4 addresses alone. */
  @Conformance("KN-01")
  @Test
  void aSliceWithoutEndpointsTellsNothingAboutThePortOfTheOthers() {
    SliceText pods = SliceText.of("a", "orders").port("grpc", 8080).ready("10.0.0.1");
    SliceText none = SliceText.of("b", "orders");

    assertThat(failure("80", pods, none).message()).contains("80");
    assertThat(shown(of("80", NO_ZONE, none))).isEmpty();
  }

  @Test
  void whatIsNoTcpPortOrNoAddressIsLeftOut() {
    assertThat(
            shown(
                of(
                    "grpc",
                    NO_ZONE,
                    SliceText.of("a", "orders")
                        .port("grpc", 81, "UDP")
                        .port("grpc", 70_000)
                        .port("grpc", 80)
                        .ready("10.0.0.1", "pod.example", "10.0.0.256"))))
        .containsExactly("/0 weight 1: HEALTHY 10.0.0.1:80");
  }

  @Conformance("KN-01")
  @Test
  void aPortThatNoSliceHasFailsWithThoseThatExist() {
    SliceText two = SliceText.of("a", "orders").port("grpc", 80).port("", 81).ready("10.0.0.1");

    assertThat(failure("8080", two))
        .isEqualTo(
            new RpcStatus(
                RpcStatus.Code.NOT_FOUND,
                "kubernetes service \"orders.shop\" has no port \"8080\": its pods listen on 81,"
                    + " grpc=80; give the name or the number of such a port"));
    assertThat(failure("http", two).message()).contains("no port \"http\"");
  }

  /** Such as the slices of a headless Service without ports. */
  @Conformance("KN-01")
  @Test
  void aServiceWithoutPortsIsToldSo() {
    assertThat(failure("80", SliceText.of("a", "orders").ready("10.0.0.1")).message())
        .endsWith("has no TCP port in its slices; check ports and targetPort of the Service");
  }

  @Conformance("KN-05")
  @Test
  void noSliceIsAMissingServiceAndAnEmptyOneIsNot() {
    assertThat(failure("80").message())
        .contains("\"orders.shop\" has no EndpointSlices", "namespace \"shop\"");
    assertThat(shown(of("80", NO_ZONE, SliceText.of("a", "orders")))).isEmpty();
  }

  @Conformance("KN-03")
  @Test
  void endpointsThatTerminateDrainAndThoseThatAreNotReadyAreLeftOut() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a").ready("10.0.0.1").draining("10.0.0.2").unready("10.0.0.3"))))
        .containsExactly("/0 weight 1: HEALTHY 10.0.0.1:80, DRAINING 10.0.0.2:80");
  }

  @Conformance("KN-03")
  @Test
  void onlyEndpointsThatServeAndTerminateDrain() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a")
                        .pod(SliceText.pod("10.0.0.1", false, true, true))
                        .pod(SliceText.pod("10.0.0.2", false, false, true))
                        .pod(SliceText.pod("10.0.0.3", false, true, false))
                        .pod(SliceText.pod("10.0.0.4", false, false, false)))))
        .containsExactly("/0 weight 1: HEALTHY 10.0.0.1:80");
  }

  /** Slices that no controller of Kubernetes wrote may omit conditions. */
  @Conformance("KN-03")
  @Test
  void aConditionThatIsAbsentHasTheDefaultOfTheApi() {
    SliceText slice = slice("a");
    List<String> conditions =
        List.of(
            "{}",
            "{serving: false}",
            "{terminating: true}",
            "{ready: false}",
            "{ready: false, terminating: true}",
            "{ready: false, serving: false, terminating: true}");
    for (int i = 0; i < conditions.size(); i++) {
      JsonObject pod = SliceText.pod("10.0.0." + i, true, true, false);
      pod.add("conditions", JsonParser.parseString(conditions.get(i)));
      slice = slice.pod(pod);
    }

    assertThat(shown(of("80", NO_ZONE, slice)))
        .containsExactly(
            "/0 weight 3: HEALTHY 10.0.0.0:80, HEALTHY 10.0.0.1:80, HEALTHY 10.0.0.2:80,"
                + " DRAINING 10.0.0.4:80");
  }

  @Conformance("KN-03")
  @Test
  void withoutAnyReadyEndpointThoseThatTerminateAreUsed() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a").draining("10.0.0.2").draining("10.0.0.4").unready("10.0.0.3"))))
        .containsExactly("/0 weight 2: HEALTHY 10.0.0.2:80, HEALTHY 10.0.0.4:80");
  }

  @Conformance("KN-03")
  @Test
  void anAddressWhosePodIsReplacedIsReady() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a").draining("10.0.0.1").uid("old"),
                    slice("b").ready("10.0.0.1").uid("new"))))
        .containsExactly("/0 weight 1: HEALTHY 10.0.0.1:80");
  }

  @Conformance("KN-06")
  @Test
  void zonesAreLocalitiesWeightedByTheirEndpoints() {
    assertThat(
            shown(
                of(
                    "80",
                    NO_ZONE,
                    slice("a").ready("10.0.0.1").zone("b").ready("10.0.0.2").zone("a"),
                    slice("b").ready("10.0.0.3").zone("b").draining("10.0.0.4").zone("c"))))
        .containsExactly(
            "a/0 weight 1: HEALTHY 10.0.0.2:80",
            "b/0 weight 2: HEALTHY 10.0.0.1:80, HEALTHY 10.0.0.3:80",
            "c/0 weight 1: DRAINING 10.0.0.4:80");
  }

  @Conformance("KN-06")
  @Test
  void hintsForTheOwnZoneAreObeyedWhenEveryReadyEndpointHasThem() {
    SliceText hinted =
        slice("a")
            .ready("10.0.0.1")
            .zone("a")
            .hint("a")
            .ready("10.0.0.2")
            .zone("b")
            .hint("a", "b")
            .ready("10.0.0.3")
            .zone("b")
            .hint("b");
    List<String> allAlike =
        List.of(
            "a/0 weight 1: HEALTHY 10.0.0.1:80",
            "b/0 weight 2: HEALTHY 10.0.0.2:80, HEALTHY 10.0.0.3:80");

    assertThat(shown(of("80", Optional.of("a"), hinted)))
        .containsExactly(
            "a/0 weight 1: HEALTHY 10.0.0.1:80",
            "b/0 weight 1: HEALTHY 10.0.0.2:80",
            "b/1 weight 1: HEALTHY 10.0.0.3:80");
    assertThat(shown(of("80", NO_ZONE, hinted))).isEqualTo(allAlike);
    assertThat(shown(of("80", Optional.of("c"), hinted))).as("no hint for it").isEqualTo(allAlike);
    assertThat(shown(of("80", Optional.of("a"), hinted, slice("b").ready("10.0.0.9").zone("b"))))
        .as("one has none")
        .noneMatch(locality -> locality.contains("/1"));
    assertThat(shown(of("80", Optional.of("a"), hinted, slice("b").draining("10.0.0.9").zone("b"))))
        .as("one that drains needs none")
        .anyMatch(locality -> locality.contains("/1"));
  }
}
