package io.outrigger.xds.kubernetes;

import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.WireMessage;
import io.outrigger.xds.kubernetes.ApiClient.Answer;
import io.outrigger.xds.local.DirectListener;
import io.outrigger.xds.local.LocalAdsTransport;
import io.outrigger.xds.local.ResourceSnapshot;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/**
 * Computes the resources of one {@code k8s:///} target on the thread {@code kubernetes}, and
 * delivers the resources on the control loop. The resources are a Listener with one route, an EDS
 * cluster and its endpoints. The name of the target is also the name of each resource. Each target
 * has a separate transport, so that a change of one service does not cause work for other targets.
 *
 * <p>The port of a target is usually a port of the pods. If no pod listens on the target's port
 * number, the number may belong to a port of the Service. In this case, the publisher reads the
 * Service to learn the port's name, because EndpointSlices list pod ports under the names of
 * Service ports.
 */
@ControlConfined
final class ServicePublisher {
  /** The time until the Service is read again, unless the last response was 429 or 5xx. */
  private static final Duration RETRY = Duration.ofSeconds(30);

  private static final Duration RETRY_AFTER_FAILURE = Duration.ofSeconds(2);

  private static final int TOO_MANY = 429;
  private static final int SERVER_ERROR = 500;

  private final ControlLoop control;
  private final ApiClient client;
  private final Assignment byTarget;
  private final LocalAdsTransport transport;
  private final ResourceSnapshot withoutEndpoints;
  private final OneTimer retry;
  private Optional<Collection<EndpointSlice>> slices = Optional.empty();
  private Optional<RpcStatus> problem = Optional.empty();
  private Optional<String> portName = Optional.empty();
  private String refusal = "";
  private Optional<ApiClient.Call> call = Optional.empty();
  private Optional<ResourceSnapshot> last = Optional.empty();
  private boolean isServiceRead;

  private boolean isAnswered; // whether a list of the API server has been published
  private boolean hasEndpoints; // whether the last published snapshot has endpoints

  ServicePublisher(ControlLoop loop, ControlLoop control, ApiClient client, Assignment byTarget) {
    String name = byTarget.target().toString();
    this.control = control;
    this.client = client;
    this.byTarget = byTarget;
    this.retry = new OneTimer(loop);
    this.transport = new LocalAdsTransport(control, name);
    this.withoutEndpoints =
        ResourceSnapshot.of(
            Map.of(
                ResourceType.LISTENER,
                    Map.of(name, DirectListener.to(name).as(ResourceType.LISTENER)),
                ResourceType.CLUSTER, Map.of(name, cluster(name).as(ResourceType.CLUSTER))),
            Map.of());
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
      retry.stop();
    } else if (!retry.isRunning()) {
      isServiceRead = false; // the known endpoints stay in use until the response
      readService();
    }
    if (isPortUnknown && !isServiceRead) {
      return; // onService() publishes
    }
    ResourceSnapshot next = resources(endpoints);
    boolean isAnswer = slices.isPresent();
    if ((isAnswer && !isAnswered) || last.filter(next::sameAs).isEmpty()) {
      isAnswered |= isAnswer;
      hasEndpoints = endpoints.isOk();
      last = Optional.of(next);
      control.execute(() -> transport.publish(next, isAnswer));
    }
  }

  /** After a failure, watchers receive the error and the known endpoints, which may be outdated. */
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
    String remedy = slices.get().isEmpty() ? "" : refusal;
    return found.match(
        Outcome::ok,
        failure -> Outcome.failed(new RpcStatus(failure.code(), failure.message() + remedy)));
  }

  private void readService() {
    call.ifPresent(ApiClient.Call::cancel);
    call =
        Optional.of(
            client.get(
                "/api/v1/namespaces/%s/services/%s"
                    .formatted(target().namespace(), target().service()),
                this::onService));
    retry.start(RETRY, this::readService);
  }

  private void onService(Outcome<Answer> answer) {
    int status = answer.match(Answer::status, failure -> SERVER_ERROR);
    boolean isConclusive = status != TOO_MANY && status < SERVER_ERROR;
    retry.start(isConclusive ? RETRY : RETRY_AFTER_FAILURE, this::readService);
    isServiceRead |= isConclusive || !hasEndpoints; // otherwise the known endpoints stay in use
    if (isConclusive) {
      portName =
          answer
              .toOptional()
              .filter(response -> status == ApiClient.OK)
              .flatMap(response -> ApiObject.read(response.body()))
              .flatMap(this::nameOfPort);
    }
    refusal =
        switch (status) {
          case ApiClient.OK, 404 -> "";
          case 403 -> "; if it is a port of the Service, allow the verb get on services (403)";
          default ->
              "; the Service cannot be read: "
                  + answer.match(response -> Integer.toString(status), RpcStatus::message);
        };
    publish();
  }

  private Optional<String> nameOfPort(ApiObject service) {
    return service.slice().ports().stream()
        .filter(port -> port.number() == target().number().orElseThrow())
        .map(EndpointSlice.Port::name)
        .findFirst();
  }

  void close() {
    call.ifPresent(ApiClient.Call::cancel);
    retry.stop();
  }
}
