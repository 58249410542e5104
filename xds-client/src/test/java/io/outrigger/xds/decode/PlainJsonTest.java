package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Any;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Protobuf's reader is the oracle: what is read plainly is what that would read. */
class PlainJsonTest {
  private static final String CLUSTER =
      "{\"@type\": \"type.googleapis.com/envoy.config.cluster.v3.Cluster\", %s}";
  private static final int DOCUMENTS = 1000;
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer()
          .usingTypeRegistry(KnownTypes.all())
          .preservingProtoFieldNames()
          .sortingMapKeys();
  private static final List<JsonElement> JUNK =
      List.of(
          JsonNull.INSTANCE,
          new JsonArray(),
          new JsonObject(),
          new JsonPrimitive(true),
          new JsonPrimitive(0),
          new JsonPrimitive(-1),
          new JsonPrimitive(1.5),
          new JsonPrimitive(4294967295L),
          new JsonPrimitive(""),
          new JsonPrimitive("5"),
          new JsonPrimitive("1.5s"),
          new JsonPrimitive("x"));

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "'name': 'ü', 'altStatName': 'x'",
        "'type': 'EDS', 'lb_policy': 'RING_HASH'",
        "'connect_timeout': '0.25s', 'cleanupInterval': '90s'",
        "'per_connection_buffer_limit_bytes': 4294967295",
        "'per_connection_buffer_limit_bytes': '7'",
        "'circuit_breakers': {'thresholds': [{'max_requests': 5}, {}]}",
        "'eds_cluster_config': {'eds_config': {'ads': {}}}, 'dns_lookup_family': null",
        "'common_lb_config': {'healthy_panic_threshold': {'value': 12.5}}",
        "'metadata': {'filter_metadata': {'a': {'b': -1.5, 'c': {'d': 'e'}, 'f': true}}}",
        "'transport_socket': {'name': 'x', 'typed_config': {}}",
      })
  void whatConfigurationsAreMadeOfIsPlain(String fields) throws InvalidProtocolBufferException {
    JsonObject tree = tree(CLUSTER.formatted(fields.replace('\'', '"')));

    Optional<Any> read = new PlainJson().read(tree);

    assertThat(said(read.orElseThrow())).isEqualTo(said(ResourceJson.byDescriptors(tree)));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "'nmae': 'x'",
        "'name': 1",
        "'name': ['x']",
        "'lb_policy': 'NONE'",
        "'lb_policy': 1",
        "'lb_policy': 'ROUND_ROBIN', 'lbPolicy': 'ROUND_ROBIN'",
        "'type': 'EDS', 'cluster_type': {'name': 'x'}",
        "'connect_timeout': '-1s'",
        "'connect_timeout': '1'",
        "'connect_timeout': '1.0000000001s'",
        "'connect_timeout': 1",
        "'per_connection_buffer_limit_bytes': 4294967296",
        "'per_connection_buffer_limit_bytes': -1",
        "'per_connection_buffer_limit_bytes': 1e3",
        "'per_connection_buffer_limit_bytes': 1.0",
        "'per_connection_buffer_limit_bytes': true",
        "'ignore_health_on_host_removal': 'true'",
        "'circuit_breakers': {'thresholds': {'max_requests': 5}}",
        "'circuit_breakers': {'thresholds': [null]}",
        "'metadata': {'filter_metadata': {'a': {'b': [1]}}}",
        "'transport_socket': {'name': 'x', 'typed_config': {'@type': 'a.B'}}",
      })
  void whatIsUnusualOrWrongIsLeftToProtobuf(String fields) {
    JsonObject tree = tree(CLUSTER.formatted(fields.replace('\'', '"')));

    assertThat(new PlainJson().read(tree)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "config/examples/resources/failover.json",
        "xds-client/src/test/resources/io/outrigger/xds/decode/istiod-routes.json",
      })
  void documentsOfConfigurationArePlain(String file) throws IOException {
    for (JsonElement tree : tree(Files.readString(project(file))).getAsJsonArray("resources")) {
      assertThat(new PlainJson().read(tree.getAsJsonObject())).as("%s", tree).isPresent();
    }
  }

  /** Messages of all types, as protobuf prints them, and then with something changed. */
  @Test
  void neverReadsOtherwiseThanProtobuf() throws InvalidProtocolBufferException {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    List<Descriptor> types = KnownTypes.types().values().stream().map(Supplier::get).toList();
    var messages = new RandomMessages(seed, types);
    int plain = 0;
    for (int i = 0; i < DOCUMENTS; i++) {
      Message message = messages.message(types.get(random.nextInt(types.size())));
      Optional<JsonObject> printed = printed(message);
      if (printed.isEmpty()) {
        continue;
      }
      JsonObject tree = printed.get();
      for (int change = random.nextInt(3); change > 0; change--) {
        change(tree, random);
      }
      Optional<Any> read = new PlainJson().read(tree);
      if (read.isPresent()) {
        plain++;
        assertThat(said(read.get()))
            .as("seed %s: %s", seed, tree)
            .isEqualTo(said(ResourceJson.byDescriptors(tree)));
      }
    }
    assertThat(plain).as("documents that were plain").isGreaterThan(DOCUMENTS / 10);
  }

  /** Replaces, renames or doubles a field somewhere in {@code tree}. */
  private static void change(JsonObject tree, Random random) {
    List<JsonObject> objects = new ArrayList<>();
    collect(tree, objects);
    JsonObject object = objects.get(random.nextInt(objects.size()));
    List<String> names = new ArrayList<>(object.keySet());
    String name = names.isEmpty() ? "name" : names.get(random.nextInt(names.size()));
    JsonElement value = object.get(name);
    switch (random.nextInt(4)) {
      case 0 -> object.remove(name);
      case 1 -> object.add(JsonField.jsonName(name), value);
      default -> object.add(name, JUNK.get(random.nextInt(JUNK.size())).deepCopy());
    }
  }

  private static void collect(JsonElement tree, List<JsonObject> objects) {
    if (tree instanceof JsonObject object) {
      objects.add(object);
      object.asMap().values().forEach(value -> collect(value, objects));
    } else if (tree instanceof JsonArray list) {
      list.forEach(value -> collect(value, objects));
    }
  }

  /** As protobuf prints it; empty when an Any in it holds nothing readable. */
  private static Optional<JsonObject> printed(Message message) {
    try {
      String url = "type.googleapis.com/" + message.getDescriptorForType().getFullName();
      var any = Any.newBuilder().setTypeUrl(url).setValue(message.toByteString()).build();
      return Optional.of(tree(PRINTER.print(any)));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static JsonObject tree(String json) {
    return JsonParser.parseString(json).getAsJsonObject();
  }

  /** What {@code any} says, whatever the order and the defaults among its bytes. */
  private static String said(Any any) throws InvalidProtocolBufferException {
    return PRINTER.print(any);
  }

  /** Tests run in the folder of their module, or of a sister's. */
  private static Path project(String file) {
    return Path.of("..", file);
  }
}
