package io.outrigger.config.bootstrap;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the certificate files of {@code tls} channel credentials (A65) and of {@code file_watcher}
 * certificate providers (A29). The credentials and the provider have the same fields, except for
 * the SPIFFE field of A87. Also reads the settings of {@code spiffe_workload_api} and {@code
 * istio_ca}.
 */
final class CertificateConfigReader {
  private static final Pattern DURATION = Pattern.compile("-?\\d{1,12}(\\.\\d{1,9})?s");
  private static final Pattern VALIDITY = // as Go writes durations
      Pattern.compile("(?=.)(?:\\d{1,6}h)?(?:\\d{1,8}m)?(?:\\d{1,9}s)?");
  private static final Pattern HEADER_VALUE = Pattern.compile("[\\x21-\\x7e]+");
  private static final Pattern TRUST_DOMAIN =
      Pattern.compile("[a-z0-9._-]{1,255}"); // SPIFFE-ID 2.1
  private static final Duration MAX_REFRESH_INTERVAL = Duration.ofDays(36_500);
  private static final String BUNDLE_MAP = "spiffe_trust_bundle_map_file";

  private CertificateConfigReader() {}

  static ChannelCredentials channelCredentials(Optional<JsonNode> config) {
    return new ChannelCredentials.Tls(
        config
            .filter(JsonNode::isObject)
            .map(node -> files(node, Optional.empty()))
            .orElse(CertificateFiles.NONE));
  }

  /**
   * Reads one entry of {@code certificate_providers}. An unknown plugin is kept with a warning, so
   * that a bootstrap written for another client still works. A cluster that names the unknown
   * plugin is refused.
   */
  static Optional<CertificateProvider> provider(JsonNode node) {
    Optional<String> plugin = node.isObject() ? node.requiredText("plugin_name") : Optional.empty();
    if (plugin.isEmpty()) {
      return Optional.empty();
    }
    if (plugin.get().equals(CertificateProvider.WorkloadApi.PLUGIN)) {
      return Optional.of(new CertificateProvider.WorkloadApi(endpoint(node)));
    }
    if (plugin.get().equals(CertificateProvider.IstioCa.PLUGIN)) {
      return istioCa(node);
    }
    if (!plugin.get().equals(CertificateProvider.FileWatcher.PLUGIN)) {
      node.findings()
          .warn(
              node.pathOf("plugin_name"),
              "\""
                  + plugin.get()
                  + "\" is not supported: a cluster that names this provider is refused; plugins"
                  + " are \"file_watcher\", \"spiffe_workload_api\" and \"istio_ca\"");
      return Optional.of(new CertificateProvider.Unknown(plugin.get()));
    }
    Optional<JsonNode> config = node.member("config");
    if (config.isEmpty()) {
      node.error("config", "is missing; give ca_certificate_file, certificate_file or both");
      return Optional.empty();
    }
    if (!config.get().isObject()) {
      return Optional.empty();
    }
    if (hasNoFile(config.get())) {
      config.get().error("names no file; give ca_certificate_file, certificate_file or both");
    }
    return Optional.of(
        new CertificateProvider.FileWatcher(files(config.get(), file(config.get(), BUNDLE_MAP))));
  }

  private static Optional<WorkloadEndpoint> endpoint(JsonNode provider) {
    Optional<JsonNode> config = provider.member("config").filter(JsonNode::isObject);
    Optional<String> text = config.flatMap(node -> node.text("endpoint"));
    if (text.isEmpty()) {
      return Optional.empty();
    }
    return WorkloadEndpoint.parse(text.get())
        .match(
            Optional::of,
            wrong -> {
              config.get().error("endpoint", "\"" + text.get() + "\" " + wrong.message());
              return Optional.empty();
            });
  }

  private static Optional<CertificateProvider> istioCa(JsonNode provider) {
    Optional<JsonNode> config = provider.member("config");
    if (config.isEmpty()) {
      provider.error("config", "is missing; give ca_address, ca_root_file and token_file");
      return Optional.empty();
    }
    JsonNode ca = config.get();
    if (!ca.isObject()) {
      return Optional.empty();
    }
    Optional<String> clusterId = ca.text("cluster_id").filter(text -> !text.isEmpty());
    clusterId
        .filter(text -> !HEADER_VALUE.matcher(text).matches())
        .ifPresent(text -> ca.error("cluster_id", "has characters that no header may have"));
    return Optional.of(
        new CertificateProvider.IstioCa(
            required(ca, "ca_address", "the host and the port of the CA are required"),
            required(ca, "ca_root_file", "the path of a file is required"),
            required(ca, "token_file", "the path of a file is required"),
            clusterId,
            validity(ca),
            ca.text("cert_signer").filter(text -> !text.isEmpty()),
            trustDomain(ca)));
  }

  private static String trustDomain(JsonNode config) {
    String name = "trust_domain";
    Optional<String> text = config.text(name).filter(given -> !given.isEmpty());
    text.filter(given -> !TRUST_DOMAIN.matcher(given).matches())
        .ifPresent(given -> config.error(name, "\"%s\" is no trust domain".formatted(given)));
    return text.orElse(CertificateProvider.IstioCa.DEFAULT_TRUST_DOMAIN);
  }

  private static String required(JsonNode config, String name, String remedy) {
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

  private static boolean hasNoFile(JsonNode config) {
    return config.member("certificate_file").isEmpty()
        && config.member("private_key_file").isEmpty()
        && config.member("ca_certificate_file").isEmpty()
        && config.member(BUNDLE_MAP).isEmpty();
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
        certificate,
        privateKey,
        file(config, "ca_certificate_file"),
        bundleMap,
        refreshInterval(config));
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
