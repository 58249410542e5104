package io.outrigger.identity.certificate;

import io.outrigger.config.bootstrap.CertificateFiles;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of a {@code file_watcher} of the bootstrap (A29, A87), or of {@code tls} credentials of
 * a control plane (A65).
 *
 * @param systemRoots the roots to use when no file of roots is configured; empty for no roots
 */
record ProviderFiles(CertificateFiles files, Optional<SystemRoots> systemRoots) {
  ProviderFiles(CertificateFiles files) {
    this(files, Optional.empty());
  }

  Stream<String> paths() {
    return Stream.concat(
        Stream.of(
                files.certificate(),
                files.privateKey(),
                files.caCertificate(),
                files.spiffeTrustBundleMap())
            .flatMap(Optional::stream),
        systemRootsInUse().stream().flatMap(SystemRoots::paths));
  }

  /** Blocks. */
  FileReading read() {
    return new FileReading(
        files
            .certificate()
            .map(
                chain ->
                    FileReading.read(() -> Identity.read(chain, files.privateKey().orElse(chain)))),
        files
            .spiffeTrustBundleMap() // A87: used instead of ca_certificate_file
            .map(map -> FileReading.<Roots>read(() -> Roots.SpiffeBundles.read(map)))
            .or(
                () ->
                    files
                        .caCertificate()
                        .map(ca -> FileReading.<Roots>read(() -> Roots.Authorities.read(ca))))
            .or(
                () ->
                    systemRootsInUse()
                        .map(system -> FileReading.<Roots>read(system::authorities))));
  }

  private Optional<SystemRoots> systemRootsInUse() {
    boolean areRootsNamed =
        files.caCertificate().isPresent() || files.spiffeTrustBundleMap().isPresent();
    return areRootsNamed ? Optional.empty() : systemRoots;
  }
}
