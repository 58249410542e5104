package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.xds.ResourceType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Decodes resources in tests, written as messages or as JSON. */
final class Decoding {
  static final DecodeContext CONTEXT = new DecodeContext(ServerFeatures.NONE, Map.of());
  static final DecodeContext TRUSTED =
      new DecodeContext(new ServerFeatures(true, false, false), Map.of());

  private Decoding() {}

  static <T> Decoded<T> decode(ResourceType<T> type, Message... resources) {
    return ResourceDecoder.decode(type, Arrays.stream(resources).map(Any::pack).toList(), CONTEXT);
  }

  /** The record of a resource that must be accepted. */
  static <T> T valid(ResourceType<T> type, Message resource) {
    return onlyValid(decode(type, resource));
  }

  /** The record of a resource that must be accepted, given as JSON without its "@type". */
  static <T> T valid(ResourceType<T> type, String json) {
    return valid(type, json, CONTEXT);
  }

  static <T> T valid(ResourceType<T> type, String json, DecodeContext context) {
    return onlyValid(ResourceDecoder.decode(type, List.of(any(type, json)), context));
  }

  private static <T> T onlyValid(Decoded<T> decoded) {
    assertThat(decoded.invalid().values().stream().flatMap(i -> i.texts().stream())).isEmpty();
    assertThat(decoded.unnamed()).isEmpty();
    assertThat(decoded.valid()).hasSize(1);
    return decoded.valid().values().iterator().next().value();
  }

  /** The errors of a resource that must be refused. */
  static <T> List<String> errors(ResourceType<T> type, Message resource) {
    return onlyInvalid(decode(type, resource));
  }

  /** The errors of a resource that must be refused, given as JSON without its "@type". */
  static <T> List<String> errors(ResourceType<T> type, String json) {
    return onlyInvalid(ResourceDecoder.decode(type, List.of(any(type, json)), CONTEXT));
  }

  static <T> List<String> errors(ResourceType<T> type, String json, DecodeContext context) {
    return onlyInvalid(ResourceDecoder.decode(type, List.of(any(type, json)), context));
  }

  private static <T> List<String> onlyInvalid(Decoded<T> decoded) {
    assertThat(decoded.valid()).isEmpty();
    assertThat(decoded.unnamed()).isEmpty();
    assertThat(decoded.invalid()).hasSize(1);
    return decoded.invalid().values().iterator().next().texts();
  }

  /**
   * A resource of {@code type} from the text of an object without "@type"; quotes may be left out.
   */
  static Any any(ResourceType<?> type, String json) {
    String body = JsonParser.parseString(json).toString();
    assertThat(body).startsWith("{");
    String rest = body.substring(1).strip();
    String typed =
        "{\"@type\":\"" + type.typeUrl() + "\"" + (rest.startsWith("}") ? "" : ",") + rest;
    ResourceJson.Document document = ResourceJson.parse("{\"resources\":[" + typed + "]}");
    assertThat(document.errors()).isEmpty();
    return document.resources().get(0);
  }
}
