package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireMessage;
import io.outrigger.xds.local.DirectListener;
import io.outrigger.xds.local.LocalAdsTransport;
import io.outrigger.xds.local.ResourceSnapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns the slices of one {@code k8s:///} target into its resources, on the thread of its
 * namespace, and delivers them to the control loop, to which only the transport belongs. The
 * resources have the form that a control plane would send: a Listener with one route to a cluster
 * of type EDS, and the endpoints of that cluster, all of which have the name of the target. Each
 * target has its own transport, so that a change of one service causes no work for others.
 *
 * <p>A target names the port on which the pods listen. When no pod listens on that port, the
 * Service is read, because the target may name a port of the Service, which has the same name in
 * the slices.
 */
@ControlConfined
final class ServicePublisher {
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final ControlLoop control;
  private final ApiClient client;
  private final Assignment byTarget;
  private final LocalAdsTransport transport;
  private final ResourceSnapshot withoutEndpoints;
  private Optional<String> portName = Optional.empty(); // of the Service's port
  private String remark = ""; // why the Service does not help
  private boolean isUnresolved;
  private boolean isServiceUnread;
  private Optional<ResourceSnapshot> last = Optional.empty();

  ServicePublisher(ControlLoop control, ApiClient client, Assignment byTarget) {
    String name = byTarget.target().toString();
    this.control = control;
    this.client = client;
    this.byTarget = byTarget;
    this.transport = new LocalAdsTransport(control, name);
    this.withoutEndpoints =
        ResourceSnapshot.of(
            Map.of(
                ResourceType.LISTENER,
                    Map.of(name, DirectListener.to(name).as(ResourceType.LISTENER)),
                ResourceType.CLUSTER, Map.of(name, cluster(name).as(ResourceType.CLUSTER))));
  }

  private static WireMessage cluster(String name) {
    var ads = new WireMessage().message(ConfigSource.ADS_FIELD_NUMBER, new WireMessage());
    return new WireMessage()
        .text(Cluster.NAME_FIELD_NUMBER, name)
        .number(Cluster.TYPE_FIELD_NUMBER, Cluster.DiscoveryType.EDS_VALUE)
        .message(
            Cluster.EDS_CLUSTER_CONFIG_FIELD_NUMBER,
            new WireMessage().message(Cluster.EdsClusterConfig.EDS_CONFIG_FIELD_NUMBER, ads));
  }

  ServicePort target() {
    return byTarget.target();
  }

  LocalAdsTransport transport() {
    return transport;
  }

  /** Whether neither the pods nor the Service have the port, as far as is known. */
  boolean isUnresolved() {
    return isUnresolved;
  }

  /**
   * Publishes the endpoints. Blocks while the Service is read.
   *
   * @param slices empty before the first list
   * @param problem why {@code slices} are missing, or may be out of date
   */
  void publish(Optional<List<EndpointSlice>> slices, Optional<RpcStatus> problem)
      throws InterruptedException {
    Outcome<Any> endpoints =
        slices.isPresent() ? endpoints(slices.get()) : Outcome.failed(problem.orElseThrow());
    if (last.isPresent() && isUnresolved && isServiceUnread) {
      return; // known endpoints stay until there is an answer
    }
    ResourceSnapshot next = resources(endpoints, problem);
    if (last.filter(next::sameAs).isEmpty()) {
      last = Optional.of(next);
      control.execute(() -> transport.publish(next));
    }
  }

  /** Endpoints that may be out of date stay in use; the watchers get the problem too. */
  private ResourceSnapshot resources(Outcome<Any> endpoints, Optional<RpcStatus> problem) {
    String name = target().toString();
    return withoutEndpoints.with(
        ResourceType.ENDPOINT,
        endpoints.toOptional().map(known -> Map.of(name, known)).orElse(Map.of()),
        problem
            .or(() -> Optional.of(endpoints.status()).filter(status -> !status.isOk()))
            .map(status -> Map.of(name, status))
            .orElse(Map.of()));
  }

  private Outcome<Any> endpoints(List<EndpointSlice> slices) throws InterruptedException {
    Outcome<Any> found = find(slices);
    isUnresolved = !found.isOk() && !slices.isEmpty() && target().number().isPresent();
    if (!isUnresolved) {
      return found;
    }
    readService();
    Outcome<Any> retried = find(slices);
    isUnresolved = !retried.isOk();
    return retried.match(
        Outcome::ok, why -> Outcome.failed(new RpcStatus(why.code(), why.message() + remark)));
  }

  private Outcome<Any> find(List<EndpointSlice> slices) {
    Outcome<Any> found = byTarget.of(slices);
    return found.isOk() || portName.isEmpty() ? found : byTarget.ofPort(portName.get()).of(slices);
  }

  private void readService() throws InterruptedException {
    try {
      client.get(
          "/api/v1/namespaces/%s/services/%s".formatted(target().namespace(), target().service()),
          ApiClient.TIME_LIMIT,
          body -> portName = SecretJson.object(ApiClient.all(body)).flatMap(this::nameOfPort));
      isServiceUnread = false;
      remark = "";
    } catch (ApiClient.Failure failure) {
      int status = failure.status;
      isServiceUnread =
          List.of(0, ApiClient.OK, TOO_MANY).contains(status) || status >= SERVER_ERROR;
      if (isServiceUnread) {
        remark = "; the Service cannot be read: " + failure.reason();
      } else {
        portName = Optional.empty();
        remark =
            status == NOT_FOUND
                ? ""
                : "; if it is a port of the Service, allow the verb get on services (%d)"
                    .formatted(status);
      }
    }
  }

  private Optional<String> nameOfPort(JsonObject service) {
    return ApiJson.objects(ApiJson.object(service, "spec"), "ports").stream()
        .filter(port -> ApiJson.number(port, "port") == target().number().orElseThrow())
        .filter(port -> List.of("", "TCP").contains(ApiJson.text(port, "protocol")))
        .map(port -> ApiJson.text(port, "name"))
        .findFirst();
  }
}
