package io.outrigger.identity.certificate;

import io.outrigger.config.bootstrap.CertificateFiles;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/** The files of a {@code file_watcher} of the bootstrap (A29, A87). */
record ProviderFiles(CertificateFiles files) implements FileWatcher.Source {
  @Override
  public FileStamps stamps() {
    return FileStamps.of(
        Stream.of(
                files.certificate(),
                files.privateKey(),
                files.caCertificate(),
                files.spiffeTrustBundleMap())
            .flatMap(Optional::stream));
  }

  @Override
  public FileReading read() {
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
                        .map(ca -> FileReading.<Roots>read(() -> Roots.Authorities.read(ca)))));
  }

  @Override
  public Duration refreshInterval() {
    return files.refreshInterval();
  }
}
