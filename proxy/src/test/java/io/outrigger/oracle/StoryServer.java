package io.outrigger.oracle;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.outrigger.xds.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A control plane for one client, without a network: answers with what the client asks for, and
 * again when that changes. It serves clusters before what names them (xDS "Eventual consistency
 * considerations"), one response at a time.
 */
final class StoryServer {
  static final String ACK = "ACK";

  private static final List<ResourceType<?>> ORDER =
      List.of(
          ResourceType.CLUSTER, ResourceType.ENDPOINT, ResourceType.LISTENER, ResourceType.ROUTE);

  /** Of these a response has all that there is, and nothing says that there is none. */
  private static final Set<ResourceType<?>> COMPLETE =
      Set.of(ResourceType.CLUSTER, ResourceType.LISTENER);

  /** What there is of a type, and how far the client is. */
  private static final class Served {
    private final Map<String, Message> resources = new TreeMap<>();
    private Optional<Set<String>> wanted = Optional.empty();

    /** What the client has of what it wants; empty before the first response. */
    private Optional<Map<String, Message>> sent = Optional.empty();

    private String verdict = "";
  }

  private final Map<ResourceType<?>, Served> types = new HashMap<>();
  private int responses;

  StoryServer() {
    ORDER.forEach(type -> types.put(type, new Served()));
  }

  /** There is this resource from now on, instead of one of the same name. */
  void put(ResourceType<?> type, String name, Message resource) {
    of(type).resources.put(name, resource);
  }

  /** There is no such resource any more. */
  void remove(ResourceType<?> type, String name) {
    of(type).resources.remove(name);
  }

  /** What the client says: its interest, and what it thinks of the last response. */
  void onRequest(DiscoveryRequest request) {
    ResourceType<?> type =
        ORDER.stream()
            .filter(each -> each.typeUrl().equals(request.getTypeUrl()))
            .findFirst()
            .orElseThrow(() -> new AssertionError(request));
    Served served = of(type);
    Set<String> wanted = Set.copyOf(request.getResourceNamesList());
    served.wanted = Optional.of(wanted);
    served.sent.ifPresent(sent -> sent.keySet().retainAll(wanted));
    if (request.getResponseNonce().equals(nonce(responses))) {
      served.verdict = request.hasErrorDetail() ? request.getErrorDetail().getMessage() : ACK;
    }
  }

  /** The next response that is due; empty when the client has all that it wants. */
  Optional<DiscoveryResponse> next() {
    for (ResourceType<?> type : ORDER) {
      Served served = of(type);
      if (served.wanted.isEmpty() || served.wanted.get().isEmpty()) { // no interest any more
        continue;
      }
      Map<String, Message> due = new TreeMap<>(served.resources);
      due.keySet().retainAll(served.wanted.get());
      boolean isComplete = COMPLETE.contains(type);
      if (served.sent.equals(Optional.of(due)) || (due.isEmpty() && !isComplete)) {
        continue;
      }
      served.sent = Optional.of(due);
      served.verdict = "";
      return Optional.of(
          DiscoveryResponse.newBuilder()
              .setTypeUrl(type.typeUrl())
              .setVersionInfo("v" + ++responses)
              .setNonce(nonce(responses))
              .addAllResources(due.values().stream().map(Any::pack).toList())
              .build());
    }
    return Optional.empty();
  }

  private static String nonce(int response) {
    return "n" + response;
  }

  /**
   * What the client said of the last response of a type: {@link #ACK}, or the reasons of its NACK;
   * empty when there was none.
   */
  String verdict(ResourceType<?> type) {
    return of(type).verdict;
  }

  private Served of(ResourceType<?> type) {
    Served served = types.get(type);
    if (served == null) {
      throw new AssertionError(type);
    }
    return served;
  }
}
