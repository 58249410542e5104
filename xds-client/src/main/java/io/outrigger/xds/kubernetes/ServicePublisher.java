package io.outrigger.xds.kubernetes;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.TimerHandle;
import io.outrigger.identity.certificate.SecretJson;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireMessage;
import io.outrigger.xds.kubernetes.ApiClient.Answer;
import io.outrigger.xds.local.DirectListener;
import io.outrigger.xds.local.LocalAdsTransport;
import io.outrigger.xds.local.ResourceSnapshot;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns the slices of one {@code k8s:///} target into its resources, on the loop of this package,
 * and delivers them to the control loop, to which only the transport belongs. The resources have
 * the form that a control plane would send: a Listener with one route to a cluster of type EDS, and
 * the endpoints of that cluster, all of which have the name of the target. Each target is a server
 * of its own, so that a change of one service costs the other targets nothing.
 *
 * <p>A target names the port on which the pods listen. When no pod listens on that port, the
 * Service is read, because the target may name a port of the Service, which has the same name in
 * the slices.
 */
@ControlConfined
final class ServicePublisher {
  /** The pause before a Service that lacks the wanted port is read again. */
  private static final Duration RETRY = Duration.ofSeconds(30);

  private static final Duration SOON = Duration.ofSeconds(2);

  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final ControlLoop loop;
  private final ControlLoop control;
  private final ApiClient client;
  private final Assignment byTarget;
  private final LocalAdsTransport transport;
  private final ResourceSnapshot withoutEndpoints;
  private Optional<Collection<EndpointSlice>> slices = Optional.empty();
  private Optional<RpcStatus> problem = Optional.empty();
  private Optional<String> portName = Optional.empty();
  private String refusal = "";
  private Optional<ApiClient.Call> call = Optional.empty();
  private Optional<TimerHandle> retry = Optional.empty();
  private Optional<ResourceSnapshot> last = Optional.empty();
  private boolean isServiceRead;

  ServicePublisher(ControlLoop loop, ControlLoop control, ApiClient client, Assignment byTarget) {
    String name = byTarget.target().toString();
    this.loop = loop;
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

  void publish(Optional<Collection<EndpointSlice>> slices, Optional<RpcStatus> problem) {
    this.slices = slices;
    this.problem = problem;
    publish();
  }

  private void publish() {
    Outcome<Any> endpoints = endpoints();
    boolean isPortUnknown =
        !endpoints.isOk()
            && target().number().isPresent()
            && slices.filter(known -> !known.isEmpty()).isPresent();
    if (!isPortUnknown) {
      retry.ifPresent(TimerHandle::cancel);
      retry = Optional.empty();
    } else if (retry.isEmpty()) {
      isServiceRead = false; // known endpoints stay until there is an answer
      readService();
    }
    if (isPortUnknown && !isServiceRead) {
      return; // its answer publishes
    }
    ResourceSnapshot next = resources(endpoints);
    if (last.filter(next::sameAs).isEmpty()) {
      last = Optional.of(next);
      control.execute(() -> transport.publish(next));
    }
  }

  /** Endpoints that may be out of date stay in use; the watchers get the problem too. */
  private ResourceSnapshot resources(Outcome<Any> endpoints) {
    String name = target().toString();
    return withoutEndpoints.with(
        ResourceType.ENDPOINT,
        endpoints.toOptional().map(known -> Map.of(name, known)).orElse(Map.of()),
        problem
            .or(() -> Optional.of(endpoints.status()).filter(status -> !status.isOk()))
            .map(status -> Map.of(name, status))
            .orElse(Map.of()));
  }

  private Outcome<Any> endpoints() {
    if (slices.isEmpty()) {
      return Outcome.failed(problem.orElseThrow());
    }
    Outcome<Any> found = byTarget.of(slices.get());
    if (!found.isOk() && portName.isPresent()) {
      found = byTarget.ofPort(portName.get()).of(slices.get());
    }
    return found.match(
        Outcome::ok,
        failure -> Outcome.failed(new RpcStatus(failure.code(), failure.message() + refusal)));
  }

  private void readService() {
    call.ifPresent(ApiClient.Call::cancel);
    call =
        Optional.of(
            client.get(
                "/api/v1/namespaces/%s/services/%s"
                    .formatted(target().namespace(), target().service()),
                this::onService));
    retry = Optional.of(loop.schedule(RETRY, this::readService));
  }

  private void onService(Outcome<Answer> answer) {
    int status = answer.match(Answer::status, failure -> SERVER_ERROR);
    boolean isConclusive = status != TOO_MANY && status < SERVER_ERROR;
    retry.ifPresent(TimerHandle::cancel);
    retry = Optional.of(loop.schedule(isConclusive ? RETRY : SOON, this::readService));
    isServiceRead |= isConclusive || last.isEmpty(); // otherwise known endpoints stay
    if (isConclusive) {
      portName =
          answer
              .toOptional()
              .filter(response -> status == ApiClient.OK)
              .flatMap(response -> SecretJson.object(response.body()))
              .flatMap(this::nameOfPort);
    }
    if (!isConclusive) {
      refusal =
          "; the Service cannot be read: "
              + answer.match(response -> Integer.toString(status), RpcStatus::message);
    } else if (status == ApiClient.OK || status == NOT_FOUND) {
      refusal = "";
    } else {
      refusal = "; if it is a port of the Service, allow the verb get on services (" + status + ")";
    }
    publish();
  }

  private Optional<String> nameOfPort(JsonObject service) {
    return ApiJson.objects(ApiJson.object(service, "spec"), "ports").stream()
        .filter(port -> ApiJson.number(port, "port") == target().number().orElseThrow())
        .filter(port -> List.of("", "TCP").contains(ApiJson.text(port, "protocol")))
        .map(port -> ApiJson.text(port, "name"))
        .findFirst();
  }

  void close() {
    call.ifPresent(ApiClient.Call::cancel);
    retry.ifPresent(TimerHandle::cancel);
  }
}
