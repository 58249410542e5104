package io.outrigger.observe.admin.grpc;

import com.google.protobuf.DynamicMessage;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.AnyThread;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code grpc.health.v1.Health}: {@code Check} and {@code Watch} come from grpc-services, {@code
 * List} (A90) is implemented here.
 */
@AnyThread
final class Health {
  /** A90 "Proposed API Changes": a longer list is an error. */
  static final int MAX_LISTED = 100;

  private final HealthStatusManager each = new HealthStatusManager();
  private volatile Map<String, ServingStatus> all = Map.of();

  /** Creates a health status in which the process is not serving and no other name is known. */
  Health() {
    set(Map.of(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, false));
  }

  /**
   * Sets the status of all services.
   *
   * @param serving the status of every service by name; the empty name is the whole process
   */
  void set(Map<String, Boolean> serving) {
    var statuses = new TreeMap<String, ServingStatus>();
    serving.forEach(
        (name, yes) -> statuses.put(name, yes ? ServingStatus.SERVING : ServingStatus.NOT_SERVING));
    statuses.forEach(each::setStatus);
    all = statuses;
  }

  ServerServiceDefinition service() {
    ServerServiceDefinition generated = each.getHealthService().bindService();
    return ServerServiceDefinition.builder(HealthSchema.SERVICE)
        .addMethod(generated.getMethod(HealthGrpc.getCheckMethod().getFullMethodName()))
        .addMethod(HealthSchema.LIST, ServerCalls.asyncUnaryCall(this::list))
        .addMethod(generated.getMethod(HealthGrpc.getWatchMethod().getFullMethodName()))
        .build();
  }

  private void list(DynamicMessage request, StreamObserver<DynamicMessage> out) {
    Map<String, ServingStatus> statuses = all;
    if (statuses.size() > MAX_LISTED) {
      out.onError(
          Status.RESOURCE_EXHAUSTED
              .withDescription(
                  statuses.size()
                      + " services, more than the "
                      + MAX_LISTED
                      + " that List may"
                      + " return; call Check for one")
              .asRuntimeException());
      return;
    }
    out.onNext(HealthSchema.listed(statuses));
    out.onCompleted();
  }

  /** Notifies all watchers that no service is serving any more. */
  void close() {
    each.enterTerminalState();
  }
}
