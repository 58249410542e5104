package io.outrigger.config.bootstrap;

import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the certificate files of {@code tls} channel credentials (A65) and of {@code file_watcher}
 * certificate providers (A29), whose fields are the same.
 */
final class CertificateReader {
  private static final Duration REFRESH_INTERVAL = Duration.ofSeconds(600); // A65 "Proposal"
  private static final Pattern DURATION = Pattern.compile("-?\\d{1,12}(\\.\\d{1,9})?s");
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private CertificateReader() {}

  private record Files(
      Optional<String> certificate,
      Optional<String> privateKey,
      Optional<String> ca,
      Duration refreshInterval) {}

  static ChannelCredentials channelCredentials(Optional<JsonNode> config) {
    Files files = config.map(CertificateReader::files).orElse(NOTHING);
    return new ChannelCredentials.Tls(
        files.ca(), files.certificate(), files.privateKey(), files.refreshInterval());
  }

  private static final Files NOTHING =
      new Files(Optional.empty(), Optional.empty(), Optional.empty(), REFRESH_INTERVAL);

  /**
   * One entry of {@code certificate_providers}. An unknown plugin is left out with a warning, so
   * that a file written for another client still works; a cluster that names it is refused then.
   */
  static Optional<CertificateProvider> provider(JsonNode node) {
    Optional<String> plugin = node.isObject() ? node.requiredText("plugin_name") : Optional.empty();
    if (plugin.isEmpty()) {
      return Optional.empty();
    }
    if (!plugin.get().equals("file_watcher")) {
      node.findings()
          .warn(
              node.pathOf("plugin_name"),
              "\"" + plugin.get() + "\" is left out; the only plugin is \"file_watcher\"");
      return Optional.empty();
    }
    Optional<JsonNode> config = node.member("config");
    if (config.isEmpty()) {
      node.error("config", "is missing; give ca_certificate_file, certificate_file or both");
      return Optional.empty();
    }
    Files files = files(config.get());
    if (config.get().value().isJsonObject()
        && files.ca().isEmpty()
        && files.certificate().isEmpty()
        && files.privateKey().isEmpty()) {
      config.get().error("names no file; give ca_certificate_file, certificate_file or both");
    }
    return Optional.of(
        new CertificateProvider(
            files.certificate(), files.privateKey(), files.ca(), files.refreshInterval()));
  }

  private static Files files(JsonNode config) {
    if (!config.isObject()) {
      return NOTHING;
    }
    Optional<String> certificate = file(config, "certificate_file");
    Optional<String> privateKey = file(config, "private_key_file");
    if (certificate.isPresent() && config.member("private_key_file").isEmpty()) {
      config.error("private_key_file", "is missing; certificate_file needs it");
    }
    if (privateKey.isPresent() && config.member("certificate_file").isEmpty()) {
      config.error("certificate_file", "is missing; private_key_file needs it");
    }
    return new Files(
        certificate, privateKey, file(config, "ca_certificate_file"), refreshInterval(config));
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
      return REFRESH_INTERVAL;
    }
    if (!DURATION.matcher(text.get()).matches()) {
      config.error(name, "\"" + text.get() + "\" is not a duration such as \"600s\"");
      return REFRESH_INTERVAL;
    }
    BigDecimal seconds = new BigDecimal(text.get().substring(0, text.get().length() - 1));
    if (seconds.signum() <= 0) {
      config.error(name, "\"" + text.get() + "\" must be more than zero");
      return REFRESH_INTERVAL;
    }
    BigDecimal whole = new BigDecimal(seconds.toBigInteger());
    Duration interval =
        Duration.ofSeconds(
            whole.longValueExact(), seconds.subtract(whole).movePointRight(9).longValueExact());
    return interval.compareTo(LONGEST) > 0 ? LONGEST : interval;
  }
}
