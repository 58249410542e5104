package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.envoyproxy.envoy.service.discovery.v3.Resource;
import io.outrigger.config.bootstrap.JsonNode;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.ResourceType;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads and prints resources in the proto3 JSON mapping. */
public final class ResourceJson {
  private static final String URL_PREFIX = "type.googleapis.com/";

  /**
   * @param resources the valid resources, of the types in {@link ResourceType#ALL}
   * @param paths the path to each resource in the document, as in {@link FieldError#steps()}
   * @param errors all errors; each path begins with the resource, such as {@code resources[2]
   *     (Cluster "pay"): lb_polcy}
   */
  public record Document(List<Any> resources, List<List<String>> paths, List<FieldError> errors) {
    public Document {
      resources = List.copyOf(resources);
      paths = List.copyOf(paths);
      errors = List.copyOf(errors);
    }

    private static Document wrong(String reason) {
      return new Document(List.of(), List.of(), List.of(FieldError.of(reason)));
    }
  }

  private ResourceJson() {}

  /** Reads {@code {"resources":[{"@type":"type.googleapis.com/…",…},…]}}; never throws. */
  public static Document parse(String json) {
    try {
      return of(readTree(json));
    } catch (JsonParseException | IOException | IllegalStateException e) {
      return Document.wrong("not JSON: " + JsonNode.syntaxError(e));
    }
  }

  /** Reads the list {@code resources} of a document from a JSON tree; never throws. */
  public static Document of(JsonElement tree) {
    if (!tree.isJsonObject()
        || !tree.getAsJsonObject().has("resources")
        || !tree.getAsJsonObject().get("resources").isJsonArray()) {
      return Document.wrong("must be an object with a list, as {\"resources\":[…]}");
    }
    JsonArray list = tree.getAsJsonObject().getAsJsonArray("resources");
    var resources = new ArrayList<Any>();
    var paths = new ArrayList<List<String>>();
    var errors = new ArrayList<FieldError>();
    for (int i = 0; i < list.size(); i++) {
      Optional<Any> resource = resource(list.get(i), i, errors);
      if (resource.isPresent()) {
        resources.add(resource.get());
        paths.add(
            isWrapper(typeOf(list.get(i).getAsJsonObject()))
                ? List.of("resources", "" + i, "resource")
                : List.of("resources", "" + i));
      }
    }
    return new Document(resources, paths, errors);
  }

  private static JsonElement readTree(String json) throws IOException {
    if (json.isBlank()) {
      throw new JsonParseException("nothing there"); // the JSON reader would return null
    }
    try (var reader = new JsonReader(new StringReader(json))) {
      reader.setStrictness(Strictness.STRICT);
      JsonElement tree = readElement(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new JsonParseException("more text after the end, at " + reader.getPath());
      }
      return tree;
    }
  }

  /** Unlike Gson, rejects an object in which a name occurs twice. */
  private static JsonElement readElement(JsonReader reader) throws IOException {
    JsonToken next = reader.peek();
    if (next == JsonToken.BEGIN_ARRAY) {
      var list = new JsonArray();
      reader.beginArray();
      while (reader.hasNext()) {
        list.add(readElement(reader));
      }
      reader.endArray();
      return list;
    }
    if (next != JsonToken.BEGIN_OBJECT) {
      return JsonParser.parseReader(reader);
    }
    var object = new JsonObject();
    reader.beginObject();
    while (reader.hasNext()) {
      String name = reader.nextName();
      if (object.has(name)) {
        throw new JsonParseException("a name twice in one object: " + reader.getPath());
      }
      object.add(name, readElement(reader));
    }
    reader.endObject();
    return object;
  }

  private static Optional<Any> resource(JsonElement tree, int index, List<FieldError> errors) {
    String place = "resources[" + index + "]";
    if (!tree.isJsonObject() || typeOf(tree.getAsJsonObject()).isEmpty()) {
      errors.add(error(place, index, FieldError.of("must be an object with \"@type\"")));
      return Optional.empty();
    }
    String where = place + describe(tree.getAsJsonObject());
    Any any;
    try {
      any = unwrapped(message(UnreadTypes.wrapped(tree.getAsJsonObject())));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      List<FieldError> found = JsonDiagnosis.of(UnreadTypes.wrapped(tree.getAsJsonObject()));
      for (FieldError error :
          found.isEmpty() ? List.of(FieldError.of(String.valueOf(e.getMessage()))) : found) {
        errors.add(error(where, index, error));
      }
      return Optional.empty();
    }
    String url = URL_PREFIX + TypedConfig.typeName(any.getTypeUrl());
    if (ResourceType.ALL.stream().noneMatch(type -> type.typeUrl().equals(url))) {
      String reason =
          quoted(any.getTypeUrl())
              + " is not a resource of its own; there are Listener, RouteConfiguration, Cluster"
              + " and ClusterLoadAssignment";
      errors.add(error(where, index, FieldError.of(reason)));
      return Optional.empty();
    }
    return Optional.of(any.toBuilder().setTypeUrl(url).build());
  }

  private static FieldError error(String resource, int index, FieldError inside) {
    List<String> steps = new ArrayList<>(List.of("resources", "" + index));
    steps.addAll(inside.steps());
    String path = inside.path().isEmpty() ? resource : resource + ": " + inside.path();
    return new FieldError(path, steps, inside.reason());
  }

  private static boolean isWrapper(String typeUrl) {
    return TypedConfig.typeName(typeUrl).equals(ResourceDecoder.WRAPPER);
  }

  private static Any message(JsonElement tree) throws InvalidProtocolBufferException {
    var builder = Any.newBuilder();
    JsonFormat.parser()
        .usingTypeRegistry(KnownTypes.all())
        .merge(Printer.GSON.toJson(tree), builder);
    return builder.build();
  }

  private static Any unwrapped(Any any) throws InvalidProtocolBufferException {
    return isWrapper(any.getTypeUrl()) ? Resource.parseFrom(any.getValue()).getResource() : any;
  }

  private static String typeOf(JsonObject tree) {
    return text(tree, "@type").orElse("");
  }

  /** Returns type and name of a resource, such as {@code (Cluster "pay")}. */
  private static String describe(JsonObject tree) {
    String type = TypedConfig.typeName(typeOf(tree));
    String name =
        text(tree, "name")
            .or(() -> text(tree, "cluster_name"))
            .or(() -> text(tree, "clusterName"))
            .map(FieldErrors::quoted)
            .orElse("without name");
    return " (" + type.substring(type.lastIndexOf('.') + 1) + " " + name + ")";
  }

  private static Optional<String> text(JsonObject tree, String field) {
    JsonElement value = tree.get(field);
    return value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isString()
        ? Optional.of(value.getAsString())
        : Optional.empty();
  }

  /**
   * Prints a resource, without secrets, on one line, with the field names of the proto files. Never
   * throws, because {@link Redaction} has replaced each unreadable {@code Any}.
   */
  public static String print(RawResource resource) {
    try {
      return JsonFormat.printer()
          .usingTypeRegistry(KnownTypes.all())
          .preservingProtoFieldNames()
          .omittingInsignificantWhitespace()
          .print(Redaction.of(resource));
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      // An illegal duration, or a NaN in a Struct, has no JSON form.
      var answer = new JsonObject();
      answer.addProperty("@type", resource.typeUrl());
      answer.addProperty("error", "has no JSON form: " + e.getMessage());
      return answer.toString();
    }
  }

  private static final class Printer {
    static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();
  }
}
