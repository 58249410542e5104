package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An EndpointSlice of {@code discovery.k8s.io/v1}: some endpoints of a service, all with the same
 * ports. Endpoints without an IP address and ports of protocols other than TCP are omitted.
 *
 * @param version the {@code resourceVersion}, from which a watch continues
 */
@AnyThread
record EndpointSlice(
    String name, String service, String version, List<Port> ports, List<Endpoint> endpoints) {
  static final String SERVICE_LABEL = "kubernetes.io/service-name";

  private static final int MAX_PORT = 65_535;

  /** A port of a slice; the name may be empty if the service has a single port. */
  record Port(String name, int number) {}

  /**
   * An endpoint. Ready endpoints come first in the order, because a terminating pod in the host
   * network may have the same address as its replacement. IPv4 comes before IPv6.
   *
   * @param pod a key that all addresses of one pod have in common
   * @param isReady false if the endpoint terminates, but still serves
   * @param zone the endpoint's zone; empty if unknown
   * @param forZones the zones from which the endpoint should be called (topology aware routing)
   */
  record Endpoint(String pod, String ip, boolean isReady, String zone, List<String> forZones)
      implements Comparable<Endpoint> {
    Endpoint {
      forZones = List.copyOf(forZones);
    }

    @Override
    public int compareTo(Endpoint other) {
      if (isReady != other.isReady) {
        return isReady ? -1 : 1;
      }
      int family = Boolean.compare(ip.indexOf(':') >= 0, other.ip.indexOf(':') >= 0);
      return family != 0 ? family : ip.compareTo(other.ip);
    }
  }

  EndpointSlice {
    ports = List.copyOf(ports);
    endpoints = endpoints.stream().sorted().toList(); // so that each update sorts less
  }

  /**
   * The response to a list request.
   *
   * @param version the {@code resourceVersion} of the list, from which a watch continues
   */
  record Page(String version, List<EndpointSlice> slices) {
    Page {
      slices = List.copyOf(slices);
    }
  }

  /** Reads a list slice by slice, because the JSON tree of the whole list would be large. */
  static Page readList(byte[] json) throws IOException {
    try (var reader =
        new JsonReader(
            new InputStreamReader(new ByteArrayInputStream(json), StandardCharsets.UTF_8))) {
      String version = "";
      List<EndpointSlice> slices = new ArrayList<>();
      reader.beginObject();
      while (reader.hasNext()) {
        String field = reader.nextName();
        if (field.equals("metadata") && reader.peek() == JsonToken.BEGIN_OBJECT) {
          version = ApiJson.text(object(reader), "resourceVersion");
        } else if (field.equals("items") && reader.peek() == JsonToken.BEGIN_ARRAY) {
          reader.beginArray();
          while (reader.hasNext()) {
            slices.add(read(object(reader)));
          }
          reader.endArray();
        } else {
          reader.skipValue();
        }
      }
      if (version.isEmpty()) { // such as the {} of a gateway, which is not an empty list
        throw new IOException("it has no resourceVersion");
      }
      return new Page(version, slices);
    } catch (IOException | JsonParseException | IllegalStateException notJson) {
      throw new IOException("its answer is no list of EndpointSlices", notJson);
    }
  }

  private static JsonObject object(JsonReader reader) {
    return JsonParser.parseReader(reader).getAsJsonObject();
  }

  static EndpointSlice read(JsonObject json) {
    JsonObject metadata = ApiJson.object(json, "metadata");
    List<Port> ports = new ArrayList<>();
    for (JsonObject port : ApiJson.objects(json, "ports")) {
      int number = ApiJson.number(port, "port");
      String protocol = ApiJson.text(port, "protocol");
      if (number > 0 && number <= MAX_PORT && (protocol.isEmpty() || protocol.equals("TCP"))) {
        ports.add(new Port(ApiJson.text(port, "name"), number));
      }
    }
    List<Endpoint> endpoints = new ArrayList<>();
    for (JsonObject endpoint : ApiJson.objects(json, "endpoints")) {
      endpoint(endpoint).ifPresent(endpoints::add);
    }
    return new EndpointSlice(
        ApiJson.text(metadata, "name"),
        ApiJson.text(ApiJson.object(metadata, "labels"), SERVICE_LABEL),
        ApiJson.text(metadata, "resourceVersion"),
        ports,
        endpoints);
  }

  private static Optional<Endpoint> endpoint(JsonObject json) {
    JsonObject conditions = ApiJson.object(json, "conditions");
    boolean isReady = isTrue(conditions, "ready", true); // the defaults are those of the API
    boolean isDraining =
        isTrue(conditions, "serving", true) && isTrue(conditions, "terminating", false);
    // All addresses of an endpoint are equivalent, and consumers may use only the first.
    Optional<String> ip =
        ApiJson.array(json, "addresses").asList().stream()
            .findFirst()
            .flatMap(first -> IpAddress.canonical(ApiJson.text(first)));
    if (ip.isEmpty() || !(isReady || isDraining)) {
      return Optional.empty();
    }
    String uid = ApiJson.text(ApiJson.object(json, "targetRef"), "uid");
    return Optional.of(
        new Endpoint(
            uid.isEmpty() ? ip.get() : uid,
            ip.get(),
            isReady,
            ApiJson.text(json, "zone"),
            ApiJson.objects(ApiJson.object(json, "hints"), "forZones").stream()
                .map(zone -> ApiJson.text(zone, "name"))
                .toList()));
  }

  private static boolean isTrue(JsonObject json, String field, boolean absent) {
    return (json.get(field) instanceof JsonPrimitive value && value.isBoolean())
        ? value.getAsBoolean()
        : absent;
  }
}
