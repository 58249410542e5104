package io.outrigger.identity.certificate;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.CertificateFiles;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the files of a provider held when they were read; each part is empty when the bootstrap
 * names no file for it.
 */
record FileReading(Optional<Outcome<Identity>> identity, Optional<Outcome<Roots>> roots) {
  /** Reads one part. */
  interface Reader<T> {
    T read() throws UnusableFile;
  }

  /**
   * Reads all files once, and forgets them. Blocks.
   *
   * @throws UnusableFile for the first that cannot be used
   */
  static void readAll(CertificateFiles files) throws UnusableFile {
    if (files.caCertificate().isPresent() && files.spiffeTrustBundleMap().isEmpty()) {
      Roots.Authorities.read(files.caCertificate().get());
    }
    if (files.spiffeTrustBundleMap().isPresent()) {
      Roots.SpiffeBundles.read(files.spiffeTrustBundleMap().get());
    }
    if (files.certificate().isPresent()) {
      String chain = files.certificate().get();
      Identity.read(chain, files.privateKey().orElse(chain));
    }
  }

  /** Both parts of one answer: neither is used when one cannot be. */
  static FileReading whole(Reader<Identity> identity, Reader<Roots> roots) {
    Outcome<Identity> own = read(identity);
    Outcome<Roots> trusted = read(roots);
    return new FileReading(
        Optional.of(trusted.match(all -> own, Outcome::failed)),
        Optional.of(own.match(one -> trusted, Outcome::failed)));
  }

  /** The result of {@code reader}, or why there is none. */
  static <T> Outcome<T> read(Reader<T> reader) {
    try {
      return Outcome.ok(reader.read());
    } catch (UnusableFile unusable) {
      return Outcome.failed(RpcStatus.unavailable(unusable.reason()));
    }
  }

  /** What is wrong with the files; empty when all can be used. */
  Optional<String> failure() {
    String all =
        Stream.of(identity.map(Outcome::status), roots.map(Outcome::status))
            .flatMap(Optional::stream)
            .filter(status -> !status.isOk())
            .map(RpcStatus::message)
            .distinct()
            .collect(Collectors.joining("; "));
    return Optional.of(all).filter(text -> !text.isEmpty());
  }
}
