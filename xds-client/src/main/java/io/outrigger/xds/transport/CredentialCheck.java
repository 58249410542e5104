package io.outrigger.xds.transport;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.FileWatcher;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider.IstioCa;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.identity.certificate.CertificateCheck;
import io.outrigger.identity.token.JwtTokenFile;
import io.outrigger.identity.token.NoToken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks a bootstrap: the targets and credential files of its control planes (A65, A97), and the
 * files of its certificate providers (A29). The check opens no connection.
 *
 * @param errors problems that prevent a start, and expired certificates; one line each
 * @param warnings problems that make streams or connections fail; one line each
 */
public record CredentialCheck(List<String> errors, List<String> warnings) {
  public CredentialCheck {
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  public static CredentialCheck of(Bootstrap bootstrap) {
    Instant now = Instant.now();
    List<String> errors = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    bootstrap
        .allServers()
        .forEach(
            server -> {
              try {
                GrpcAdsTransport.requireUsable(server, System.getenv());
              } catch (IllegalArgumentException unusable) {
                errors.add(String.valueOf(unusable.getMessage()));
              }
              server.callCredentials().stream()
                  .flatMap(each -> problem(each.jwtTokenFile(), now).stream())
                  .forEach(problem -> warnings.add("xds server " + server.uri() + ": " + problem));
              if (server.credentials() instanceof Tls tls) {
                CertificateCheck check = CertificateCheck.of(tls.files(), now);
                add("xds server " + server.uri(), check.errors(), errors);
                add("xds server " + server.uri(), check.warnings(), warnings);
              }
            });
    bootstrap
        .certificateProviders()
        .forEach(
            (instance, provider) -> {
              if (provider instanceof FileWatcher watcher) {
                String subject = "certificate provider \"" + instance + "\"";
                CertificateCheck check = CertificateCheck.of(watcher.files(), now);
                add(subject, check.errors(), errors);
                add(subject, check.failure().stream().toList(), warnings);
                add(subject, check.warnings(), warnings);
              } else if (provider instanceof IstioCa ca) {
                String subject = "certificate provider \"" + instance + "\": ";
                GrpcIstioCa.check(
                    ca, now, error -> errors.add(subject + error), w -> warnings.add(subject + w));
              }
            });
    return new CredentialCheck(errors, warnings);
  }

  private static Optional<String> problem(String tokenFile, Instant now) {
    try {
      var unused = JwtTokenFile.read(tokenFile, now);
      return Optional.empty();
    } catch (NoToken none) {
      return Optional.of(none.reason());
    }
  }

  private static void add(String subject, List<String> findings, List<String> to) {
    findings.forEach(finding -> to.add(subject + ": " + finding));
  }
}
