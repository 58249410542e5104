package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a control plane sends, decoding answers and printing prints. */
class ResourceDecoderPropertyTest {
  private static final List<Any> SAMPLES =
      List.of(
          Decoding.any(
              ResourceType.LISTENER,
              """
              {"name": "l", "api_listener": {"api_listener": {
                "@type": "type.googleapis.com/%s",
                "route_config": {"name": "r", "virtual_hosts": [{"domains": ["*"], "routes": [
                  {"match": {"safe_regex": {"regex": "a(b{2}|c)+"}}, "route": {"cluster": "c"}}]}]},
                "http_filters": [
                  {"name": "f", "typed_config": {"@type": "type.googleapis.com/%s",
                    "delay": {"fixed_delay": "1s", "percentage": {"numerator": 5}}}},
                  {"name": "r", "typed_config": {"@type": "type.googleapis.com/%s"}}]}}}
              """
                  .formatted(
                      ConnectionManagerDecoder.TYPE, FaultDecoder.TYPE, FilterDecoders.ROUTER)),
          Decoding.any(
              ResourceType.ROUTE,
              """
              {"name": "r", "virtual_hosts": [{"domains": ["*"], "routes": [
                {"match": {"prefix": "", "headers": [{"name": "h", "string_match":
                   {"contains": "x"}}], "runtime_fraction": {"default_value": {"numerator": 5}}},
                 "route": {"timeout": "5s", "max_stream_duration": {"max_stream_duration": "1s"},
                   "weighted_clusters": {"clusters": [{"name": "a", "weight": 4294967290}]}}}]}]}
              """),
          Decoding.any(
              ResourceType.CLUSTER,
              """
              {"name": "c", "type": "EDS", "eds_cluster_config": {"eds_config": {"ads": {}}},
               "load_balancing_policy": {"policies": [{"typed_extension_config": {"typed_config":
                 {"@type": "type.googleapis.com/%s", "endpoint_picking_policy": {"policies": [
                   {"typed_extension_config": {"typed_config":
                     {"@type": "type.googleapis.com/%s"}}}]}}}}]},
               "outlier_detection": {"interval": "1s", "enforcing_success_rate": 5},
               "circuit_breakers": {"thresholds": [{"max_requests": 4294967295}]}}
              """
                  .formatted(
                      PolicyDecoderRegistry.WRR_LOCALITY.typeName(),
                      PolicyDecoderRegistry.ROUND_ROBIN.typeName())),
          Decoding.any(
              ResourceType.ENDPOINT,
              """
              {"cluster_name": "c", "endpoints": [{"locality": {"zone": "z"}, "priority": 0,
                "load_balancing_weight": 4294967295, "lb_endpoints": [{"health_status": "DRAINING",
                  "endpoint": {"address": {"socket_address":
                    {"address": "2001:db8::1", "port_value": 80}}}}]}],
               "policy": {"drop_overloads": [{"category": "x",
                 "drop_percentage": {"numerator": 4294967295, "denominator": "MILLION"}}]}}
              """));

  @Property(tries = 3000, seed = "20260101")
  void garbageIsReportedAndNeverThrown(
      @ForAll("types") ResourceType<?> type, @ForAll byte[] garbage) {
    Any any =
        Any.newBuilder().setTypeUrl(type.typeUrl()).setValue(ByteString.copyFrom(garbage)).build();

    everyResourceIsAccountedFor(type, any);
    printingAnswers(any);
  }

  /** Closer to the truth than garbage: a good resource with a few bytes changed. */
  @Property(tries = 3000, seed = "20260101")
  void damagedResourceIsReportedAndNeverThrown(@ForAll("damaged") Any any) {
    for (ResourceType<?> type : ResourceType.ALL) {
      if (type.typeUrl().equals(any.getTypeUrl())) {
        everyResourceIsAccountedFor(type, any);
      }
    }
    printingAnswers(any);
  }

  @Property(seed = "20260101")
  void anyTextParsesToADocument(@ForAll String json) {
    ResourceJson.Document document = ResourceJson.parse(json);

    assertThat(document.resources().isEmpty()).isTrue();
    assertThat(document.errors()).isNotEmpty();
  }

  private static void everyResourceIsAccountedFor(ResourceType<?> type, Any any) {
    var decoded = ResourceDecoder.decode(type, List.of(any), Decoding.CONTEXT);

    assertThat(decoded.valid().size() + decoded.invalid().size() + decoded.unnamed().size())
        .isEqualTo(1);
    decoded.invalid().values().forEach(bad -> assertThat(bad.errors()).isNotEmpty());
  }

  private static void printingAnswers(Any any) {
    String printed =
        ResourceJson.print(new RawResource(any.getTypeUrl(), any.getValue().toByteArray()));

    assertThat(printed).startsWith("{\"@type\":\"type.googleapis.com/").contains(any.getTypeUrl());
  }

  @Provide
  Arbitrary<ResourceType<?>> types() {
    return Arbitraries.of(ResourceType.ALL);
  }

  @Provide
  Arbitrary<Any> damaged() {
    return Combinators.combine(
            Arbitraries.of(SAMPLES),
            Arbitraries.integers().between(0, 1 << 20).list().ofMinSize(1).ofMaxSize(3),
            Arbitraries.bytes().list().ofSize(3))
        .as(ResourceDecoderPropertyTest::damage);
  }

  private static Any damage(Any sample, List<Integer> places, List<Byte> values) {
    byte[] bytes = sample.getValue().toByteArray();
    for (int i = 0; i < places.size(); i++) {
      bytes[places.get(i) % bytes.length] = values.get(i);
    }
    return sample.toBuilder().setValue(ByteString.copyFrom(bytes)).build();
  }
}
