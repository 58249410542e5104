package io.outrigger.xds.testing;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.util.ArrayList;
import java.util.List;

/** An EndpointSlice as the API server writes it. */
@AnyThread
public record SliceText(
    String name, String namespace, String service, List<JsonObject> ports, List<JsonObject> pods) {
  /** A slice without ports and endpoints, of the namespace {@code shop}. */
  public static SliceText of(String name, String service) {
    return in("shop", name, service);
  }

  public static SliceText in(String namespace, String name, String service) {
    return new SliceText(name, namespace, service, List.of(), List.of());
  }

  public SliceText port(String portName, int number) {
    return port(portName, number, "TCP");
  }

  public SliceText port(String portName, int number, String protocol) {
    var port = new JsonObject();
    port.addProperty("name", portName);
    port.addProperty("port", number);
    port.addProperty("protocol", protocol);
    List<JsonObject> more = new ArrayList<>(ports);
    more.add(port);
    return new SliceText(name, namespace, service, more, pods);
  }

  /** Adds ready pods. */
  public SliceText ready(String... ips) {
    SliceText all = this;
    for (String ip : ips) {
      all = all.pod(pod(ip, true, true, false));
    }
    return all;
  }

  /** Adds a pod that terminates and still serves. */
  public SliceText draining(String ip) {
    return pod(pod(ip, false, true, true));
  }

  /** Adds a pod that is not ready. */
  public SliceText unready(String ip) {
    return pod(pod(ip, false, false, false));
  }

  public SliceText pod(JsonObject pod) {
    List<JsonObject> more = new ArrayList<>(pods);
    more.add(pod);
    return new SliceText(name, namespace, service, ports, more);
  }

  /** Adds to the pod added last the identity of a pod, which it has in other slices, too. */
  public SliceText uid(String uid) {
    var reference = new JsonObject();
    reference.addProperty("kind", "Pod");
    reference.addProperty("uid", uid);
    return withLast("targetRef", reference);
  }

  public SliceText zone(String zone) {
    JsonObject last = pods.get(pods.size() - 1).deepCopy();
    last.addProperty("zone", zone);
    return replaceLast(last);
  }

  public SliceText hint(String... zones) {
    var names = new JsonArray();
    for (String zone : zones) {
      var entry = new JsonObject();
      entry.addProperty("name", zone);
      names.add(entry);
    }
    var hints = new JsonObject();
    hints.add("forZones", names);
    return withLast("hints", hints);
  }

  private SliceText withLast(String field, JsonObject value) {
    JsonObject last = pods.get(pods.size() - 1).deepCopy();
    last.add(field, value);
    return replaceLast(last);
  }

  private SliceText replaceLast(JsonObject last) {
    List<JsonObject> changed = new ArrayList<>(pods);
    changed.set(changed.size() - 1, last);
    return new SliceText(name, namespace, service, ports, changed);
  }

  public static JsonObject pod(String ip, boolean ready, boolean serving, boolean terminating) {
    var addresses = new JsonArray();
    addresses.add(ip);
    var conditions = new JsonObject();
    conditions.addProperty("ready", ready);
    conditions.addProperty("serving", serving);
    conditions.addProperty("terminating", terminating);
    var pod = new JsonObject();
    pod.add("addresses", addresses);
    pod.add("conditions", conditions);
    return pod;
  }

  public JsonObject json(int version) {
    var labels = new JsonObject();
    labels.addProperty("kubernetes.io/service-name", service);
    var metadata = new JsonObject();
    metadata.addProperty("name", name);
    metadata.addProperty("namespace", namespace);
    metadata.addProperty("resourceVersion", Integer.toString(version));
    metadata.add("labels", labels);
    var json = new JsonObject();
    json.add("metadata", metadata);
    json.addProperty("addressType", "IPv4");
    json.add("ports", array(ports));
    json.add("endpoints", array(pods));
    return json;
  }

  private static JsonArray array(List<JsonObject> items) {
    var array = new JsonArray();
    items.forEach(array::add);
    return array;
  }
}
