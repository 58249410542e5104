package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** The client of istio's certificate service: an implementation over gRPC, or a fake in tests. */
@AnyThread
public interface IstioCaClient {
  /**
   * Sends a signing request. Blocks while it reads the token and the roots, and while it loads gRPC
   * for the first time.
   *
   * @param request a function from the URI to certify, if any, to the PKCS #10 request in PEM
   * @param now the time at which the token must be valid
   * @param onEnd called once within a minute, on any thread, with the PEM certificates of the CA's
   *     answer (leaf first and roots last), or with the reason of the failure
   */
  void sign(
      IstioCa ca,
      Function<Optional<String>, String> request,
      Instant now,
      Consumer<Outcome<List<String>>> onEnd);
}
