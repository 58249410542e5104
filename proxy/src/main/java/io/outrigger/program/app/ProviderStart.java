package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.identity.certificate.CertificateStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The certificate providers of a bootstrap that may yet be waited for. */
@AnyThread
record ProviderStart(ControlLoop control, CertificateStore certificates) {
  private static final Duration LIMIT = Duration.ofSeconds(2);
  private static final String BUSY = "certificate providers are being started";

  /**
   * Has the providers of {@code bootstrap} at work from now on, and no others. Blocks for a moment.
   *
   * @return why one of a Workload API has nothing yet; empty when none is waited for
   */
  Optional<String> lack(Bootstrap bootstrap) {
    var lack = new CompletableFuture<Optional<String>>();
    control.execute(
        () -> {
          certificates.start(bootstrap.certificateProviders());
          lack.complete(certificates.lack());
        });
    return lack.completeOnTimeout(Optional.of(BUSY), LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
