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
 * {@code grpc.health.v1.Health}: {@code Check} and {@code Watch} are those of grpc-services, {@code
 * List} is ours (A90).
 */
@AnyThread
final class Health {
  /** A90 "Proposed API Changes": more than these are refused. */
  static final int MAX_LISTED = 100;

  private final HealthStatusManager each = new HealthStatusManager();
  private volatile Map<String, ServingStatus> all = Map.of();

  /** Until it is told, the process is not serving and no other name is known. */
  Health() {
    tell(Map.of(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, false));
  }

  /**
   * What it says from now on.
   *
   * @param serving by service name, every one of them; the empty one is the whole process
   */
  void tell(Map<String, Boolean> serving) {
    var statuses = new TreeMap<String, ServingStatus>();
    serving.forEach(
        (name, yes) -> statuses.put(name, yes ? ServingStatus.SERVING : ServingStatus.NOT_SERVING));
    statuses.forEach(each::setStatus);
    all = statuses;
  }

  /** To be bound to a server. */
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
                      + " return; Check tells of one")
              .asRuntimeException());
      return;
    }
    out.onNext(HealthSchema.listed(statuses));
    out.onCompleted();
  }

  /** Whoever watches hears that nothing serves any more. */
  void close() {
    each.enterTerminalState();
  }
}
