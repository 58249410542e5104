package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.identity.certificate.CertificateStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Starts the certificate providers of a bootstrap, whose files, Workload API or CA may still be
 * missing.
 */
@AnyThread
record ProviderStart(ControlLoop control, CertificateStore certificates) {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final String BUSY = "certificate providers are being started";

  /**
   * Runs the providers of {@code bootstrap} and stops all others. Blocks for at most two seconds.
   *
   * @return why a Workload API or an istio CA has sent nothing yet; empty when the wait is over
   */
  Optional<String> missing(Bootstrap bootstrap) {
    return CompletableFuture.supplyAsync(
            () -> {
              certificates.start(bootstrap.certificateProviders());
              return certificates.lack();
            },
            control)
        .completeOnTimeout(Optional.of(BUSY), LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
