package io.outrigger.config.bootstrap;

import java.time.Duration;
import java.util.Optional;

/**
 * The files of a {@code file_watcher} (A29, A87), and of {@code tls} channel credentials (A65).
 * Relative paths refer to the working directory.
 *
 * @param certificate the certificate chain, leaf first; present if {@code privateKey} is present
 * @param spiffeTrustBundleMap takes precedence over {@code caCertificate} (A87)
 * @param refreshInterval the interval between two reads of the files, at least 1 s
 */
public record CertificateFiles(
    Optional<String> certificate,
    Optional<String> privateKey,
    Optional<String> caCertificate,
    Optional<String> spiffeTrustBundleMap,
    Duration refreshInterval) {
  public static final Duration DEFAULT_REFRESH_INTERVAL = Duration.ofSeconds(600); // A65 "Proposal"
  public static final Duration MIN_REFRESH_INTERVAL = Duration.ofSeconds(1); // A29-11

  public static final CertificateFiles NONE =
      new CertificateFiles(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          DEFAULT_REFRESH_INTERVAL);
}
