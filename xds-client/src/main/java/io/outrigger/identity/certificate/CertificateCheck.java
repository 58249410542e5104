package io.outrigger.identity.certificate;

import io.outrigger.base.Outcome;
import io.outrigger.config.bootstrap.CertificateFiles;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether certificate files can be used at a given time.
 *
 * @param failure the reason why a file, or a certificate with its key, cannot be used
 * @param errors problems that make every connection fail
 * @param warnings expired roots in a file with valid roots, and parts of files that are ignored
 */
public record CertificateCheck(
    Optional<String> failure, List<String> errors, List<String> warnings) {
  public CertificateCheck {
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  public static CertificateCheck of(CertificateFiles files, Instant now) {
    return of(new ProviderFiles(files).read(), now);
  }

  public static CertificateCheck ofRoots(String field, String path, Instant now) {
    Outcome<Roots> roots = FileReading.read(() -> Roots.Authorities.read(field, path));
    return of(new FileReading(Optional.empty(), Optional.of(roots)), now);
  }

  private static CertificateCheck of(FileReading read, Instant now) {
    List<String> errors = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    read.identity()
        .flatMap(Outcome::toOptional)
        .flatMap(own -> own.invalidity(now))
        .ifPresent(reason -> errors.add("certificate_file: " + reason));
    read.roots()
        .flatMap(Outcome::toOptional)
        .ifPresent(
            roots -> {
              roots.note().ifPresent(warnings::add);
              List<String> expired = expired(roots.certificates(), now);
              boolean isAnyLeft = expired.size() < roots.certificates().size();
              (isAnyLeft ? warnings : errors).addAll(expired);
            });
    return new CertificateCheck(read.failure(), errors, warnings);
  }

  private static List<String> expired(List<X509Certificate> roots, Instant now) {
    return roots.stream()
        .filter(root -> !now.isBefore(root.getNotAfter().toInstant()))
        .map(
            root ->
                "the root %s has expired at %s; servers that it vouches for are refused"
                    .formatted(root.getSubjectX500Principal(), root.getNotAfter().toInstant()))
        .toList();
  }
}
