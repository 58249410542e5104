package io.outrigger.observe.admin.grpc;

import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.SocketErrors;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Checks the health of the apps behind {@code --serve} with {@code grpc.health.v1}, for probes from
 * outside the pod. An app without this service counts as healthy if it accepts a connection. A
 * result is cached for a second, so that frequent checks cost the apps little.
 */
@ControlConfined
public final class AppHealth {
  private static final Duration CACHE_TIME = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** An app that answers a health check with one of these status codes counts as healthy. */
  private static final Set<Status.Code> WITHOUT_HEALTH_SERVICE =
      Set.of(
          Status.Code.UNIMPLEMENTED,
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNKNOWN,
          Status.Code.INTERNAL);

  private final ControlLoop loop;
  private final List<String> apps;
  private Optional<CompletableFuture<String>> latest = Optional.empty();
  private long latestNanos;

  /**
   * @param apps the addresses of the apps: {@code host:port} or {@code unix:/path}
   */
  public AppHealth(ControlLoop loop, List<String> apps) {
    this.loop = loop;
    this.apps = List.copyOf(apps);
  }

  /** Returns one line with the reason for each app that does not serve; empty when all serve. */
  public CompletableFuture<String> check() {
    loop.checkInside();
    long now = loop.nanoTime();
    boolean isOver = now - latestNanos > CACHE_TIME.toNanos();
    if (latest.isEmpty() || (latest.get().isDone() && isOver)) {
      List<CompletableFuture<Optional<String>>> each = apps.stream().map(AppHealth::check).toList();
      latest =
          Optional.of(
              CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new))
                  .thenApply(
                      all ->
                          each.stream()
                              .flatMap(result -> result.join().stream())
                              .collect(Collectors.joining("\n"))));
      latestNanos = now;
    }
    return latest.get();
  }

  /**
   * Opens a new connection for each check, so that the back-off after a failed connection does not
   * delay the result.
   */
  private static CompletableFuture<Optional<String>> check(String app) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(app, InsecureChannelCredentials.create()).build();
    var result = new CompletableFuture<Optional<String>>();
    ClientCalls.asyncUnaryCall(
        channel.newCall(
            HealthGrpc.getCheckMethod(),
            CallOptions.DEFAULT.withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)),
        HealthCheckRequest.getDefaultInstance(),
        new StreamObserver<>() {
          @Override
          public void onNext(HealthCheckResponse response) {
            var status = response.getStatus();
            result.complete(
                status == HealthCheckResponse.ServingStatus.SERVING
                    ? Optional.empty()
                    : Optional.of("app " + app + ": its health check says " + status));
          }

          @Override
          public void onError(Throwable failure) {
            Status status = Status.fromThrowable(failure);
            result.complete(
                WITHOUT_HEALTH_SERVICE.contains(status.getCode())
                    ? Optional.empty()
                    : Optional.of("app " + app + ": " + reason(status)));
          }

          @Override
          public void onCompleted() {}
        });
    return result.whenComplete((done, failure) -> channel.shutdownNow());
  }

  private static String reason(Status status) {
    if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
      return "no answer to a health check within " + TIMEOUT.toSeconds() + " s";
    }
    Throwable cause = status.getCause();
    if (cause instanceof StatusRuntimeException) { // gRPC could not read the message
      return "its answer to a health check is not a HealthCheckResponse";
    }
    return cause == null
        ? Objects.requireNonNullElse(status.getDescription(), status.getCode().toString())
        : SocketErrors.describe(cause);
  }
}
