package io.outrigger.proxy.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.xds.certificate.WorkloadApi;
import io.outrigger.xds.certificate.WorkloadResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Whether a Workload API answers; asked once, and not followed. */
@AnyThread
record FirstAnswer(WorkloadApi api) {
  private static final long LIMIT_MILLIS = 1_000;

  /** Why there is no identity yet; empty when there is one, or there never will. Blocks. */
  Optional<String> lack(CertificateProvider.WorkloadApi provider) {
    return provider
        .endpoint()
        .<Outcome<WorkloadEndpoint>>map(Outcome::ok)
        .orElseGet(api::ambient)
        .match(this::lack, nowhere -> Optional.empty());
  }

  private Optional<String> lack(WorkloadEndpoint endpoint) {
    String subject = "the Workload API " + endpoint.uri();
    var answer = new CompletableFuture<Optional<String>>();
    WorkloadApi.Call call =
        api.open(
            endpoint,
            new WorkloadApi.Listener() {
              @Override
              public void onResponse(WorkloadResponse response) {
                answer.complete(response.failure(endpoint.uri()));
              }

              @Override
              public void onClosed(RpcStatus reason) {
                answer.complete(Optional.of(subject + ": " + reason));
              }
            });
    try {
      return answer
          .completeOnTimeout(
              Optional.of(subject + " has not answered yet"), LIMIT_MILLIS, TimeUnit.MILLISECONDS)
          .join();
    } finally {
      call.close();
    }
  }
}
