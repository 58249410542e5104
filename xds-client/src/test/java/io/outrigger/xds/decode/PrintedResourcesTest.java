package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.xds.type.v3.TypedStruct;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.xds.RawResource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintedResourcesTest {
  private static final String UNKNOWN_URL = "type.googleapis.com/istio.unknown.v1.Thing";

  @Test
  void whatIsPrintedReadsBackAsTheSameResource() throws IOException {
    Any routes = ResourceJson.parse(ResourceJsonTest.istiodRoutes()).resources().get(0);

    String printed = ResourceJson.print(raw(routes));

    assertThat(printed).doesNotContain("\n");
    assertThat(printed).contains("\"virtual_hosts\"", "PreviousHostsPredicate");
    var again = ResourceJson.parse("{\"resources\":[" + printed + "]}");
    assertThat(again.errors()).isEmpty();
    assertThat(again.resources()).containsExactly(routes);
  }

  @Test
  void unknownAnyDeepInsideIsPrintedAsTypeAndLength() {
    byte[] bytes = {1, 2, 3, (byte) 0xFF};
    var table = RouteConfiguration.newBuilder().setName("r");
    var route = table.addVirtualHostsBuilder().addRoutesBuilder();
    route.putTypedPerFilterConfig("known", Any.pack(Cluster.getDefaultInstance()));
    route.putTypedPerFilterConfig("unknown", unknown(bytes));
    route
        .getRouteBuilder()
        .getRetryPolicyBuilder()
        .addRetryHostPredicateBuilder()
        .setTypedConfig(unknown(bytes));
    // an Any within an Any within a map
    route.putTypedPerFilterConfig(
        "nested", Any.pack(Resource.newBuilder().setResource(unknown(bytes)).build()));

    JsonObject printed = print(table.build());

    String expected = replaced(UNKNOWN_URL, 4);
    JsonObject shown =
        printed
            .getAsJsonArray("virtual_hosts")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("routes")
            .get(0)
            .getAsJsonObject();
    JsonObject configs = shown.getAsJsonObject("typed_per_filter_config");
    assertThat(configs.get("unknown")).hasToString(expected);
    assertThat(configs.getAsJsonObject("nested").get("resource")).hasToString(expected);
    assertThat(configs.getAsJsonObject("known").get("@type").getAsString())
        .isEqualTo(CLUSTER.typeUrl());
    assertThat(
            shown
                .getAsJsonObject("route")
                .getAsJsonObject("retry_policy")
                .getAsJsonArray("retry_host_predicate")
                .get(0)
                .getAsJsonObject()
                .get("typed_config"))
        .hasToString(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no-slash", "a/b/c.D", "type.googleapis.com/", "\u0000/x\n"})
  void anyWithAnOddTypeUrlIsPrintedAllTheSame(String url) {
    var table = RouteConfiguration.newBuilder().setName("r");
    table
        .addVirtualHostsBuilder()
        .putTypedPerFilterConfig(
            "odd", Any.newBuilder().setTypeUrl(url).setValue(ByteString.copyFromUtf8("x")).build());

    JsonObject odd =
        print(table.build())
            .getAsJsonArray("virtual_hosts")
            .get(0)
            .getAsJsonObject()
            .getAsJsonObject("typed_per_filter_config")
            .getAsJsonObject("odd");

    JsonObject replacement = odd.getAsJsonObject("value");
    assertThat(replacement.get("type_url").getAsString()).isEqualTo(url);
    assertThat(replacement.get("bytes").getAsInt()).isEqualTo(1);
  }

  @Test
  void emptyAnyIsPrintedAsAnEmptyObject() {
    var cluster = Cluster.newBuilder().setName("c");
    cluster.getTransportSocketBuilder().setTypedConfig(Any.getDefaultInstance());

    assertThat(print(cluster.build()).getAsJsonObject("transport_socket").get("typed_config"))
        .hasToString("{}");
  }

  @Test
  void resourceThatIsNotReadableIsPrintedAsTypeAndLength() {
    assertThat(ResourceJson.print(new RawResource(CLUSTER.typeUrl(), new byte[] {10, 99})))
        .isEqualTo(replaced(CLUSTER.typeUrl(), 2));
    assertThat(ResourceJson.print(new RawResource("nonsense", new byte[0])))
        .isEqualTo(replaced("nonsense", 0));
  }

  @Test
  void resourceWithoutJsonFormSaysWhy() {
    var cluster = Cluster.newBuilder().setName("c");
    cluster.getOutlierDetectionBuilder().getIntervalBuilder().setSeconds(Long.MAX_VALUE);

    JsonObject printed = print(cluster.build());

    assertThat(printed.get("@type").getAsString()).isEqualTo(CLUSTER.typeUrl());
    assertThat(printed.get("error").getAsString()).startsWith("has no JSON form: ");
  }

  @Test
  void deeplyNestedAnysDoNotExhaustTheStack() {
    Any nested = Any.pack(Cluster.newBuilder().setName("innermost").build());
    for (int i = 0; i < 2000; i++) {
      var around = Cluster.newBuilder().setName("c" + i);
      around.getTransportSocketBuilder().setTypedConfig(nested);
      nested = Any.pack(around.build());
    }

    String printed = ResourceJson.print(raw(nested));

    assertThat(printed).contains("c1999", "\"bytes\":").doesNotContain("innermost");
  }

  @Test
  void secretsAreNotPrinted() {
    var tls = UpstreamTlsContext.newBuilder();
    var certificate = tls.getCommonTlsContextBuilder().addTlsCertificatesBuilder();
    certificate.getCertificateChainBuilder().setInlineString("public-certificate");
    certificate.getPrivateKeyBuilder().setInlineString("very-secret-key");
    certificate
        .getPasswordBuilder()
        .setInlineBytes(ByteString.copyFromUtf8("very-secret-password"));
    var cluster = Cluster.newBuilder().setName("c");
    cluster.getTransportSocketBuilder().setTypedConfig(Any.pack(tls.build()));

    String printed = print(cluster.build()).toString();

    assertThat(printed)
        .contains("public-certificate", "[redacted]")
        .doesNotContain("very-secret")
        .doesNotContain(
            Base64.getEncoder()
                .encodeToString("very-secret-password".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void secretsInTypesThatNobodyKnowsAreNotPrinted() {
    byte[] key = "-----BEGIN PRIVATE KEY-----".getBytes(StandardCharsets.UTF_8);
    var cluster = Cluster.newBuilder().setName("c");
    cluster.getTransportSocketBuilder().setTypedConfig(unknown(key));

    assertThat(everyForm(cluster.build()))
        .allSatisfy(
            form ->
                assertThat(form)
                    .contains(UNKNOWN_URL, "bytes")
                    .doesNotContain("PRIVATE KEY")
                    .doesNotContain(Base64.getEncoder().encodeToString(key)));
  }

  @Test
  void fieldsThatTheProtoFilesDoNotHaveAreNotShown() {
    var cluster =
        Cluster.newBuilder()
            .setName("c")
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(
                        9999,
                        UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFromUtf8("very-secret"))
                            .build())
                    .build());

    assertThat(everyForm(cluster.build()))
        .allSatisfy(form -> assertThat(form).doesNotContain("very-secret"));
  }

  @Test
  void credentialsOfGrpcServicesAreNotShown() {
    var cluster = Cluster.newBuilder().setName("c");
    var service =
        cluster
            .getEdsClusterConfigBuilder()
            .getEdsConfigBuilder()
            .getApiConfigSourceBuilder()
            .addGrpcServicesBuilder();
    service.addInitialMetadataBuilder().setKey("x-tenant-id").setValue("very-secret-1");
    var google = service.getGoogleGrpcBuilder().setTargetUri("cp:443");
    google.addCallCredentialsBuilder().setAccessToken("very-secret-2");
    google.addCallCredentialsBuilder().setGoogleRefreshToken("very-secret-3");
    google
        .addCallCredentialsBuilder()
        .getServiceAccountJwtAccessBuilder()
        .setJsonKey("very-secret-4")
        .setTokenLifetimeSeconds(60);
    google
        .addCallCredentialsBuilder()
        .getGoogleIamBuilder()
        .setAuthorizationToken("very-secret-5")
        .setAuthoritySelector("selector");

    assertThat(everyForm(cluster.build()))
        .allSatisfy(
            form ->
                assertThat(form)
                    .contains("cp:443", "x-tenant-id", "selector", "[redacted]")
                    .doesNotContain("very-secret"));
  }

  @Test
  void secretsInStructsAreNotShown() throws IOException {
    var metadata = Struct.newBuilder();
    JsonFormat.parser()
        .merge(
            """
            {"plain": "shown", "token_for_x": "very-secret-1", "list": [{"apiKey": {"a": "very-secret-2"}}],
             "headers": [{"key": "Authorization", "value": "very-secret-3"},
                         {"key": "x-plain", "value": "shown too"}],
             "services": [{"name": "token-service", "host": "shown as well"}]}""",
            metadata);
    var cluster = Cluster.newBuilder().setName("c");
    cluster.getMetadataBuilder().putFilterMetadata("filter", metadata.build());
    cluster
        .getTransportSocketBuilder()
        .setTypedConfig(
            Any.pack(TypedStruct.newBuilder().setTypeUrl(UNKNOWN_URL).setValue(metadata).build()));

    assertThat(everyForm(cluster.build()))
        .allSatisfy(
            form ->
                assertThat(form)
                    .contains("shown", "shown too", "shown as well", "Authorization")
                    .doesNotContain("very-secret"));
  }

  /** As JSON, and as the bytes that CSDS sends. */
  private static List<String> everyForm(Message message) {
    return List.of(
        print(message).toString(),
        Redaction.of(raw(Any.pack(message))).toByteString().toString(StandardCharsets.ISO_8859_1)
            + Redaction.of(raw(Any.pack(message))));
  }

  @Test
  void whatHasNoSecretsIsByteForByteWhatCame() {
    Any cluster = Any.pack(Cluster.newBuilder().setName("c").build());

    assertThat(Redaction.of(raw(cluster))).isEqualTo(cluster);
  }

  @Test
  void valuesOfHeadersWithCredentialsAreNotPrinted() {
    var table = RouteConfiguration.newBuilder().setName("r");
    var route = table.addVirtualHostsBuilder().addRoutesBuilder();
    for (String name : List.of("Authorization", "cookie", "x-api-key", "x-tenant")) {
      route
          .addRequestHeadersToAddBuilder()
          .getHeaderBuilder()
          .setKey(name)
          .setValue("value-of-" + name);
      route
          .getMatchBuilder()
          .addHeadersBuilder()
          .setName(name)
          .getStringMatchBuilder()
          .setExact("match-of-" + name);
    }

    assertThat(print(table.build()).toString())
        .contains("\"key\":\"Authorization\"", "\"name\":\"cookie\"")
        .contains("value-of-x-tenant", "match-of-x-tenant")
        .doesNotContain("-of-Authorization", "-of-cookie", "-of-x-api-key");
  }

  @Test
  void listenerOfADumpKeepsEveryFilter() {
    String listener =
        """
        {"@type":"%s","name":"orders","api_listener":{"api_listener":{"@type":"type.googleapis.com/%s","http_filters":[{"name":"router","typed_config":{"@type":"type.googleapis.com/%s"}}]}}}"""
            .formatted(LISTENER.typeUrl(), ConnectionManagerDecoder.TYPE, FilterDecoders.ROUTER);

    Any any = ResourceJson.parse("{\"resources\":[" + listener + "]}").resources().get(0);

    assertThat(ResourceJson.print(raw(any))).isEqualTo(listener);
  }

  /** The form in which {@link Redaction} shows what it cannot read. */
  private static String replaced(String url, int length) {
    return """
        {"@type":"type.googleapis.com/google.protobuf.Struct","value":{"type_url":"%s","bytes":%d.0}}"""
        .formatted(url, length);
  }

  private static Any unknown(byte[] bytes) {
    return Any.newBuilder().setTypeUrl(UNKNOWN_URL).setValue(ByteString.copyFrom(bytes)).build();
  }

  private static JsonObject print(Message message) {
    return JsonParser.parseString(ResourceJson.print(raw(Any.pack(message)))).getAsJsonObject();
  }

  private static RawResource raw(Any any) {
    return new RawResource(any.getTypeUrl(), any.getValue().toByteArray());
  }
}
