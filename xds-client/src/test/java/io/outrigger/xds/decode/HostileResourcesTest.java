package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.rbac.v3.RBAC;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.xds.ResourceType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever stands in a resource, decoding ends soon, with a verdict that names the place. */
class HostileResourcesTest {
  /** Far from what decoding takes, classes loaded by the way; far from what a bad regex would. */
  private static final Duration CPU_LIMIT = Duration.ofSeconds(20);

  private static final int TEXT_LIMIT = 100_000;

  private static final Map<ResourceType<?>, Descriptor> TYPES =
      Map.of(
          ResourceType.LISTENER, Listener.getDescriptor(),
          ResourceType.ROUTE, RouteConfiguration.getDescriptor(),
          ResourceType.CLUSTER, Cluster.getDescriptor(),
          ResourceType.ENDPOINT, ClusterLoadAssignment.getDescriptor());

  static final List<Descriptor> EXTENSIONS =
      KnownTypes.NAMES.stream().sorted().map(KnownTypes.all()::find).toList();

  /** {@code -Doutrigger.fuzz=100000} in the JVM's options tries harder. */
  private static final int TRIES = Integer.getInteger("outrigger.fuzz", 400);

  @Test
  void anyMessageOfATypeGetsAVerdictInBoundedTime() {
    for (long seed = 0; seed < TRIES; seed++) {
      for (var entry : TYPES.entrySet()) {
        ResourceType<?> type = entry.getKey();
        String nameField = type.equals(ResourceType.ENDPOINT) ? "cluster_name" : "name";
        Message message =
            new RandomMessages(seed, EXTENSIONS).message(entry.getValue(), nameField, "name");
        verdict("seed " + seed, type, message.toByteString());
      }
    }
  }

  @Property(tries = 500, seed = "20260101", shrinking = ShrinkingMode.BOUNDED)
  void anyBytesGetAVerdict(@ForAll byte[] bytes) {
    TYPES.keySet().forEach(type -> verdict("bytes", type, ByteString.copyFrom(bytes)));
  }

  private static List<String> verdict(String what, ResourceType<?> type, ByteString bytes) {
    Any any = Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(bytes).build();
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();

    Decoded<?> decoded = ResourceDecoder.decode(type, List.of(any), Decoding.CONTEXT);

    long nanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
    assertThat(Duration.ofNanos(nanos)).as("%s, %s", what, type).isLessThan(CPU_LIMIT);
    assertThat(decoded.valid().size() + decoded.invalid().size() + decoded.unnamed().size())
        .as("%s, %s", what, type)
        .isEqualTo(1);
    List<String> errors =
        Stream.concat(
                decoded.invalid().values().stream().flatMap(i -> i.texts().stream()),
                decoded.unnamed().stream())
            .toList();
    if (decoded.valid().isEmpty()) {
      assertThat(errors).as("%s, %s", what, type).isNotEmpty();
    }
    assertThat(errors.stream().mapToInt(String::length).sum())
        .as("%s, %s", what, type)
        .isLessThan(TEXT_LIMIT);
    return errors;
  }

  @ParameterizedTest(name = "{0} is refused at {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "outlier_detection: {interval: {seconds: 315576000001}} | outlier_detection.interval",
        "outlier_detection: {base_ejection_time: {seconds: -5}} |"
            + " outlier_detection.base_ejection_time",
        "outlier_detection: {interval: {seconds: 1, nanos: -1}} | outlier_detection.interval",
        "outlier_detection: {max_ejection_percent: {value: 4294967295}} |"
            + " outlier_detection.max_ejection_percent",
      })
  void hostileFieldsOfClusters(String field, String path) {
    String text =
        "name: 'c' type: EDS eds_cluster_config: {eds_config: {ads: {}}} " + field.strip();

    assertThat(verdict(field, ResourceType.CLUSTER, TextMessages.cluster(text)))
        .anyMatch(error -> error.startsWith(path + ": "));
  }

  @ParameterizedTest(name = "{0} is refused at {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        // the same locality twice in a priority
        "endpoints: {locality: {zone: 'z'} load_balancing_weight: {value: 1}}"
            + " endpoints: {locality: {zone: 'z'} load_balancing_weight: {value: 1}} |"
            + " endpoints[1].locality",
        // priority 1 is missing
        "endpoints: {locality: {zone: 'y'} load_balancing_weight: {value: 1}}"
            + " endpoints: {priority: 2 locality: {zone: 'z'} load_balancing_weight: {value: 1}} |"
            + " endpoints",
        // weights of a priority beyond 32 bits
        "endpoints: {locality: {zone: 'y'} load_balancing_weight: {value: 4294967295}}"
            + " endpoints: {locality: {zone: 'z'} load_balancing_weight: {value: 4294967295}} |"
            + " endpoints",
        "endpoints: {locality: {zone: 'y'} load_balancing_weight: {value: 1} lb_endpoints:"
            + " {endpoint: {address: {socket_address: {address: 'not an ip' port_value: 1}}}}} |"
            + " endpoints[0].lb_endpoints[0]",
      })
  void hostileFieldsOfEndpoints(String fields, String path) {
    ByteString message = TextMessages.endpoints("cluster_name: 'c' " + fields.strip());

    assertThat(verdict(fields, ResourceType.ENDPOINT, message))
        .anyMatch(error -> error.startsWith(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"((a{1000}){1000}){1000}", "(((((a{99}){99}){99}){99}){99})", "(", "a{1001}"})
  void expressionsThatWouldNotEndAreRefused(String regex) {
    ByteString message =
        TextMessages.routes(
            "name: 'r' virtual_hosts: {domains: '*' routes: {match: {safe_regex: {regex: '"
                + regex
                + "'}} route: {cluster: 'c'}}}");

    assertThat(verdict(regex, ResourceType.ROUTE, message))
        .anyMatch(error -> error.startsWith("virtual_hosts[0].routes[0].match.safe_regex.regex: "));
  }

  @Test
  void namesOfAMegabyteAreQuotedInPart() {
    String name = "n".repeat(1 << 20);
    ByteString message = Cluster.newBuilder().setName(name).setTypeValue(99).build().toByteString();

    assertThat(verdict("long name", ResourceType.CLUSTER, message)).isNotEmpty();
  }

  /** Parsed, they would take all memory, and with it the process. */
  @Test
  void resourcesThatCannotFitIntoTheHeapAreRefusedUnread() {
    ByteString routes = field(2, emptyFields(VirtualHost.ROUTES_FIELD_NUMBER));

    assertTooLarge(ResourceType.ROUTE, emptyFields(2));
    assertTooLarge(ResourceType.ROUTE, field(2, emptyFields(VirtualHost.DOMAINS_FIELD_NUMBER)));
    assertTooLarge(ResourceType.ROUTE, routes);
    assertTooLarge(ResourceType.ROUTE, field(2, field(3, field(2, emptyFields(4)))));
    assertTooLarge(ResourceType.ENDPOINT, emptyFields(2));
    assertTooLarge(ResourceType.ENDPOINT, field(2, emptyFields(2)));
    assertTooLarge(ResourceType.CLUSTER, emptyFields(Cluster.HEALTH_CHECKS_FIELD_NUMBER));
    assertTooLarge(ResourceType.LISTENER, listener(field(4, routes)));
    assertTooLarge(
        ResourceType.LISTENER,
        listener(
            field(
                HttpConnectionManager.HTTP_FILTERS_FIELD_NUMBER,
                any(field(1, emptyFields(RBAC.POLICIES_FIELD_NUMBER))).toByteString())));
  }

  private static ByteString listener(ByteString manager) {
    Listener.Builder listener = Listener.newBuilder();
    listener.addFilterChainsBuilder().addFiltersBuilder().setTypedConfig(any(manager));
    return listener.build().toByteString();
  }

  private static Any any(ByteString value) {
    return Any.newBuilder().setTypeUrl("x/y").setValue(value).build();
  }

  private static void assertTooLarge(ResourceType<?> type, ByteString content) {
    ByteString bytes = field(1, ByteString.copyFromUtf8("n")).concat(content);
    Any any = Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(bytes).build();

    Decoded<?> decoded = ResourceDecoder.decode(type, List.of(any), Decoding.CONTEXT);

    assertThat(ResourceDecoder.nameOf(bytes)).contains("n");
    assertThat(decoded.unnamed()).isEmpty();
    assertThat(decoded.invalid().get("n").texts())
        .singleElement()
        .asString()
        .contains("has more than", " fields, which do not fit into the heap of");
  }

  @Test
  void moreClustersThanFitIntoTheHeapAreRefused() {
    long max = Runtime.getRuntime().maxMemory() / (16 << 10);
    var routes = RouteConfiguration.newBuilder().setName("r");
    VirtualHost.Builder host = routes.addVirtualHostsBuilder().addDomains("*");
    for (long i = 0; i < max; i++) {
      var action = RouteAction.newBuilder().setCluster("c" + i);
      host.addRoutesBuilder().setRoute(action).getMatchBuilder().setPrefix("/" + i);
    }

    assertThat(verdict("clusters", ResourceType.ROUTE, routes.build().toByteString())).isEmpty();
    host.addRoutesBuilder().getRouteBuilder().setCluster("one more");
    host.getRoutesBuilderList().get((int) max).getMatchBuilder().setPrefix("");

    assertThat(verdict("clusters", ResourceType.ROUTE, routes.build().toByteString()))
        .singleElement()
        .asString()
        .contains("names more than " + max + " clusters");
  }

  /** It is read for one endpoint after the other, and not kept. */
  @Test
  void metadataOfEndpointsDoesNotCount() {
    ByteString metadata = field(3, field(1, emptyFields(2)));

    assertThat(verdict("metadata", ResourceType.ENDPOINT, field(2, field(2, metadata))))
        .noneMatch(error -> error.contains("has more than"));
    assertTooLarge(ResourceType.ENDPOINT, field(2, field(2, field(1, emptyFields(2)))));
  }

  @Test
  void allOfAWrapperCounts() {
    ByteString wrapper = field(Resource.METADATA_FIELD_NUMBER, field(1, emptyFields(1)));
    Any any =
        Any.newBuilder()
            .setTypeUrl("type.googleapis.com/" + Resource.getDescriptor().getFullName())
            .setValue(wrapper)
            .build();

    Decoded<?> decoded =
        ResourceDecoder.decode(ResourceType.CLUSTER, List.of(any), Decoding.CONTEXT);

    assertThat(decoded.unnamed()).singleElement().asString().contains("has more than");
  }

  /** Except for its resources, of which each is refused by its name. */
  @Test
  void allOfAResponseCounts() throws Exception {
    ByteString inside = field(1, field(2, emptyFields(3)));

    assertThatThrownBy(
            () ->
                ResponseRoom.requireResponse(
                    field(DiscoveryResponse.RESOURCE_ERRORS_FIELD_NUMBER, inside).newCodedInput()))
        .hasMessageContaining("has more than");
    ResponseRoom.requireResponse(
        field(DiscoveryResponse.RESOURCES_FIELD_NUMBER, inside).newCodedInput());
  }

  @Test
  void metadataThatIsNoNumberHarmsNobody() {
    ByteString message =
        TextMessages.endpoints(
            "cluster_name: 'c' endpoints: {locality: {zone: 'z'} load_balancing_weight: {value: 1}"
                + " lb_endpoints: {metadata: {filter_metadata: {key: 'k' value: {fields: {key: 'n'"
                + " value: {number_value: nan}}}}} endpoint: {address: {socket_address:"
                + " {address: '10.0.0.1' port_value: 1}}}}}");

    assertThat(verdict("NaN", ResourceType.ENDPOINT, message)).isEmpty();
  }

  /**
   * Deeper than the parser goes, which says so; and wrapped in Any after Any, which starts anew.
   */
  @Test
  void recursionEnds() {
    ByteString nested = ByteString.EMPTY;
    for (int i = 0; i < 5000; i++) { // Cluster.load_balancing_policy.policies…, as raw bytes
      nested = ByteString.copyFrom(new byte[] {0x0a}).concat(varint(nested.size())).concat(nested);
    }
    ByteString cluster =
        ByteString.copyFromUtf8("\n\u0001c") // name
            .concat(ByteString.copyFrom(new byte[] {(byte) 0xca, 0x02})) // field 41
            .concat(varint(nested.size()))
            .concat(nested);
    assertThat(verdict("nested", ResourceType.CLUSTER, cluster)).isNotEmpty();

    Any inner = Any.pack(Cluster.newBuilder().setName("c").build());
    for (int i = 0; i < 3000; i++) {
      inner =
          Any.pack(
              io.envoyproxy.envoy.service.discovery.v3.Resource.newBuilder()
                  .setResource(inner)
                  .build());
    }
    var decoded = ResourceDecoder.decode(ResourceType.CLUSTER, List.of(inner), Decoding.CONTEXT);
    assertThat(decoded.unnamed()).hasSize(1);
  }

  /** One more than there is room for. */
  private static ByteString emptyFields(int number) {
    var fields = new byte[2 * (int) (Runtime.getRuntime().maxMemory() / 150 + 1)];
    for (int i = 0; i < fields.length; i += 2) {
      fields[i] = (byte) (number << 3 | 2);
    }
    return ByteString.copyFrom(fields);
  }

  private static ByteString field(int number, ByteString content) {
    return varint(number << 3 | 2).concat(varint(content.size())).concat(content);
  }

  private static ByteString varint(int value) {
    var out = ByteString.newOutput();
    int rest = value;
    while (rest > 0x7f) {
      out.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
    return out.toByteString();
  }
}
