package io.outrigger.xds.kubernetes;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.outrigger.base.IpAddress;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.kubernetes.EndpointSlice.Endpoint;
import io.outrigger.xds.kubernetes.EndpointSlice.Port;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A response of the API server, or an event of a watch with the object that has changed. A field
 * that is missing or has the wrong type counts as empty or 0.
 *
 * @param type the type of a watch event
 * @param code the HTTP status code in a Status object
 * @param message the message of a Status object
 * @param items the EndpointSlices of a list
 * @param slice holds the other fields; if the object is a list, only the version is used, and if it
 *     is a Service, only the ports
 */
record ApiObject(
    String type, int code, String message, List<EndpointSlice> items, EndpointSlice slice) {
  ApiObject {
    items = List.copyOf(items);
  }

  /** Returns an empty result if the text is not exactly one JSON object. */
  static Optional<ApiObject> read(byte[] utf8) {
    try (var json =
        new JsonReader(
            new InputStreamReader(new ByteArrayInputStream(utf8), StandardCharsets.UTF_8))) {
      json.setStrictness(Strictness.STRICT);
      ApiObject object = new Reader(json).object();
      return json.peek() == JsonToken.END_DOCUMENT ? Optional.of(object) : Optional.empty();
    } catch (IOException | IllegalStateException notAnObject) {
      return Optional.empty();
    }
  }

  /** Reads the JSON text field by field, because a tree of a whole list would be large. */
  private static final class Reader {
    private final JsonReader json;
    private int depth;

    private interface Element<T> {
      Optional<T> read() throws IOException;
    }

    Reader(JsonReader json) {
      this.json = json;
    }

    ApiObject object() throws IOException {
      String type = "";
      int code = 0;
      String message = "";
      String name = "";
      String service = "";
      String version = "";
      List<EndpointSlice> items = List.of();
      List<Port> ports = List.of();
      List<Endpoint> endpoints = List.of();
      json.beginObject();
      int outer = depth++;
      while (hasField(outer)) {
        switch (json.nextName()) {
          case "type" -> type = text();
          case "code" -> code = number();
          case "message" -> message = text();
          case "name" -> name = text();
          case "resourceVersion" -> version = text();
          case "object", "metadata", "spec" -> enter();
          case "labels" -> service = label(EndpointSlice.SERVICE_LABEL);
          case "items" -> items = list(() -> Optional.of(object().slice()));
          case "ports" -> ports = list(this::port);
          case "endpoints" -> endpoints = list(this::endpoint);
          default -> json.skipValue();
        }
      }
      return new ApiObject(
          type, code, message, items, new EndpointSlice(name, service, version, ports, endpoints));
    }

    private Optional<Port> port() throws IOException {
      String name = "";
      String protocol = "";
      int number = 0;
      int outer = enter();
      while (hasField(outer)) {
        switch (json.nextName()) {
          case "name" -> name = text();
          case "protocol" -> protocol = text();
          case "port" -> number = number();
          default -> json.skipValue();
        }
      }
      boolean isTcp = protocol.isEmpty() || protocol.equals("TCP");
      return EndpointAddress.isPort(number) && isTcp
          ? Optional.of(new Port(name, number))
          : Optional.empty();
    }

    private Optional<Endpoint> endpoint() throws IOException {
      List<String> addresses = List.of();
      boolean isReady = true; // the defaults are those of the API
      boolean isServing = true;
      boolean isTerminating = false;
      String uid = "";
      String zone = "";
      List<String> forZones = List.of();
      int outer = enter();
      while (hasField(outer)) {
        switch (json.nextName()) {
          case "addresses" -> addresses = list(() -> Optional.of(text()));
          case "conditions", "targetRef", "hints" -> enter();
          case "ready" -> isReady = isTrue(isReady);
          case "serving" -> isServing = isTrue(isServing);
          case "terminating" -> isTerminating = isTrue(isTerminating);
          case "uid" -> uid = text();
          case "zone" -> zone = text();
          case "forZones" ->
              forZones = list(() -> Optional.of(label("name")).filter(name -> !name.isEmpty()));
          default -> json.skipValue();
        }
      }
      // Uses the first address only, because all addresses of an endpoint are equivalent.
      Optional<String> ip = addresses.stream().findFirst().flatMap(IpAddress::canonical);
      if (ip.isEmpty() || !(isReady || (isServing && isTerminating))) {
        return Optional.empty();
      }
      String pod = uid.isEmpty() ? ip.get() : uid;
      return Optional.of(new Endpoint(pod, ip.get(), isReady, zone, forZones));
    }

    private String label(String name) throws IOException {
      String value = "";
      int outer = enter();
      while (hasField(outer)) {
        if (json.nextName().equals(name)) {
          value = text();
        } else {
          json.skipValue();
        }
      }
      return value;
    }

    private <T> List<T> list(Element<T> element) throws IOException {
      List<T> list = new ArrayList<>();
      if (isNext(JsonToken.BEGIN_ARRAY)) {
        json.beginArray();
        while (json.hasNext()) {
          element.read().ifPresent(list::add);
        }
        json.endArray();
      }
      return list;
    }

    /** Enters the next value if it is an object, else skips it; returns the previous depth. */
    private int enter() throws IOException {
      int outer = depth;
      if (isNext(JsonToken.BEGIN_OBJECT)) {
        json.beginObject();
        depth++;
      }
      return outer;
    }

    /** Leaves finished objects deeper than {@code outer}; returns whether a field follows. */
    private boolean hasField(int outer) throws IOException {
      while (depth > outer && !json.hasNext()) {
        json.endObject();
        depth--;
      }
      return depth > outer;
    }

    private String text() throws IOException {
      return isNext(JsonToken.STRING) ? json.nextString() : "";
    }

    private int number() throws IOException {
      try {
        return isNext(JsonToken.NUMBER) ? Integer.parseInt(json.nextString()) : 0;
      } catch (NumberFormatException outOfRange) {
        return 0;
      }
    }

    private boolean isTrue(boolean otherwise) throws IOException {
      return isNext(JsonToken.BOOLEAN) ? json.nextBoolean() : otherwise;
    }

    /** Whether the next JSON value has the wanted type; skips a value of another type. */
    private boolean isNext(JsonToken wanted) throws IOException {
      if (json.peek() == wanted) {
        return true;
      }
      json.skipValue();
      return false;
    }
  }
}
