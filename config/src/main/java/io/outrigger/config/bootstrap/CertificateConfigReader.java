package io.outrigger.config.bootstrap;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads the certificate files of {@code tls} channel credentials (A65) and of {@code file_watcher}
 * certificate providers (A29). {@code file_watcher} has the same fields as {@code tls}, and the
 * SPIFFE field of A87. Also reads the settings of the providers {@code spiffe_workload_api} and
 * {@code istio_ca}.
 */
final class CertificateConfigReader {
  private static final Pattern DURATION = Pattern.compile("-?\\d{1,12}(\\.\\d{1,9})?s");
  private static final Pattern VALIDITY = // Go's syntax of durations
      Pattern.compile("(?=.)(?:\\d{1,6}h)?(?:\\d{1,8}m)?(?:\\d{1,9}s)?");
  private static final Pattern HEADER_VALUE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Pattern TRUST_DOMAIN =
      Pattern.compile("[a-z0-9._-]{1,255}"); // SPIFFE-ID 2.1
  private static final Duration MAX_REFRESH_INTERVAL = Duration.ofDays(36_500);
  private static final String ROOTS = "ca_certificate_file";
  private static final String BUNDLE_MAP = "spiffe_trust_bundle_map_file";

  private CertificateConfigReader() {}

  static ChannelCredentials channelCredentials(JsonNode config) {
    return new ChannelCredentials.Tls(files(config, Optional.empty()));
  }

  /**
   * Reads one entry of {@code certificate_providers}. An unknown plugin causes only a warning, so
   * that a bootstrap of another client can be used.
   */
  static Optional<CertificateProvider> provider(JsonNode node) {
    Optional<String> plugin = node.isObject() ? node.requiredText("plugin_name") : Optional.empty();
    return plugin.map(
        name ->
            switch (name) {
              case CertificateProvider.FileWatcher.PLUGIN -> fileWatcher(node.object("config"));
              case CertificateProvider.WorkloadApi.PLUGIN -> workloadApi(node.object("config"));
              case CertificateProvider.IstioCa.PLUGIN -> istioCa(node.object("config"));
              default -> unknown(node, name);
            });
  }

  private static CertificateProvider unknown(JsonNode node, String plugin) {
    node.findings()
        .warn(
            node.pathOf("plugin_name"),
            ("\"%s\" is not supported: a cluster that names this provider is refused; plugins"
                    + " are \"file_watcher\", \"spiffe_workload_api\" and \"istio_ca\"")
                .formatted(plugin));
    return new CertificateProvider.Unknown(plugin);
  }

  private static CertificateProvider fileWatcher(JsonNode config) {
    if (Stream.of("certificate_file", "private_key_file", ROOTS, BUNDLE_MAP)
        .allMatch(name -> config.member(name).isEmpty())) {
      config.error("names no file; give ca_certificate_file, certificate_file or both");
    }
    return new CertificateProvider.FileWatcher(files(config, file(config, BUNDLE_MAP)));
  }

  private static CertificateProvider workloadApi(JsonNode config) {
    return new CertificateProvider.WorkloadApi(
        config
            .text("endpoint")
            .flatMap(
                text ->
                    WorkloadEndpoint.parse(text)
                        .match(
                            Optional::of,
                            wrong -> {
                              config.error("endpoint", "\"" + text + "\" " + wrong.message());
                              return Optional.empty();
                            })));
  }

  private static CertificateProvider istioCa(JsonNode ca) {
    Optional<String> clusterId = ca.text("cluster_id").filter(text -> !text.isEmpty());
    clusterId
        .filter(text -> !HEADER_VALUE.matcher(text).matches())
        .ifPresent(text -> ca.error("cluster_id", "has characters that no header may have"));
    String address = required(ca, "ca_address", "the host and the port of the CA are required");
    ServerReader.checkPort(ca, "ca_address", address);
    return new CertificateProvider.IstioCa(
        address,
        required(ca, "ca_root_file", "the path of a file is required"),
        required(ca, "token_file", "the path of a file is required"),
        clusterId,
        validity(ca),
        ca.text("cert_signer").filter(text -> !text.isEmpty()),
        trustDomain(ca));
  }

  private static String trustDomain(JsonNode config) {
    String name = "trust_domain";
    Optional<String> text = config.text(name).filter(given -> !given.isEmpty());
    text.filter(given -> !TRUST_DOMAIN.matcher(given).matches())
        .ifPresent(given -> config.error(name, "\"%s\" is no trust domain".formatted(given)));
    return text.orElse(CertificateProvider.IstioCa.DEFAULT_TRUST_DOMAIN);
  }

  static String required(JsonNode config, String name, String remedy) {
    Optional<String> text = config.requiredText(name);
    if (text.equals(Optional.of(""))) {
      config.error(name, "is empty; " + remedy);
    }
    return text.orElse("");
  }

  private static Duration validity(JsonNode config) {
    String name = "validity";
    Optional<String> text = config.text(name);
    if (text.isEmpty()) {
      return CertificateProvider.IstioCa.DEFAULT_VALIDITY;
    }
    boolean isDuration = VALIDITY.matcher(text.get()).matches();
    Duration validity = isDuration ? Duration.parse("PT" + text.get()) : Duration.ZERO;
    if (!isDuration) {
      config.error(
          name, "\"%s\" is not a duration such as \"24h\" or \"1h30m\"".formatted(text.get()));
    } else if (validity.isZero()) {
      config.error(name, "\"%s\" must be more than zero".formatted(text.get()));
    }
    return validity;
  }

  private static CertificateFiles files(JsonNode config, Optional<String> bundleMap) {
    Optional<String> certificate = file(config, "certificate_file");
    Optional<String> privateKey = file(config, "private_key_file");
    if (certificate.isPresent() && config.member("private_key_file").isEmpty()) {
      config.error("private_key_file", "is missing; certificate_file needs it");
    }
    if (privateKey.isPresent() && config.member("certificate_file").isEmpty()) {
      config.error("certificate_file", "is missing; private_key_file needs it");
    }
    return new CertificateFiles(
        certificate, privateKey, file(config, ROOTS), bundleMap, refreshInterval(config));
  }

  private static Optional<String> file(JsonNode config, String name) {
    Optional<String> path = config.text(name);
    if (path.equals(Optional.of(""))) {
      config.error(name, "is empty; the path of a file is required");
    }
    return path;
  }

  private static Duration refreshInterval(JsonNode config) {
    String name = "refresh_interval";
    Optional<String> text = config.text(name);
    if (text.isEmpty()) {
      return CertificateFiles.DEFAULT_REFRESH_INTERVAL;
    }
    if (!DURATION.matcher(text.get()).matches()) {
      config.error(name, "\"" + text.get() + "\" is not a duration such as \"600s\"");
      return CertificateFiles.DEFAULT_REFRESH_INTERVAL;
    }
    Duration interval = Duration.parse("PT" + text.get());
    if (interval.compareTo(CertificateFiles.MIN_REFRESH_INTERVAL) < 0) {
      config.error(name, "\"" + text.get() + "\" is below \"1s\", the shortest interval");
      return CertificateFiles.DEFAULT_REFRESH_INTERVAL;
    }
    return interval.compareTo(MAX_REFRESH_INTERVAL) > 0 ? MAX_REFRESH_INTERVAL : interval;
  }
}
