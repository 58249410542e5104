package io.outrigger.identity.certificate;

import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A file of the bootstrap that does not exist yet, or a certificate and a key that do not match
 * yet. Another program may still be writing these files. A file that is unusable for another reason
 * does not count as missing.
 *
 * @param reason one line with the user of the file, the bootstrap field and the path
 * @param isRequired whether the proxy cannot call a control plane without the file; false for all
 *     files of certificate providers
 */
@AnyThread
public record MissingFile(String reason, boolean isRequired) {
  /**
   * Returns the first missing file, required files first; empty when no file is missing. Blocks.
   */
  public static Optional<MissingFile> of(Bootstrap bootstrap) {
    for (XdsServer server : bootstrap.allServers()) {
      Optional<String> missing = ofServer(server);
      if (missing.isPresent()) {
        return Optional.of(
            new MissingFile("xds server %s: %s".formatted(server.uri(), missing.get()), true));
      }
    }
    Map<String, CertificateProvider> byName = new TreeMap<>(bootstrap.certificateProviders());
    for (Map.Entry<String, CertificateProvider> each : byName.entrySet()) {
      if (each.getValue() instanceof CertificateProvider.FileWatcher watcher) {
        Optional<String> missing = new ProviderFiles(watcher.files()).read().unfinished();
        if (missing.isPresent()) {
          return Optional.of(
              new MissingFile(
                  "certificate provider \"%s\": %s".formatted(each.getKey(), missing.get()),
                  false));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> ofServer(XdsServer server) {
    if (server.credentials() instanceof Tls tls) {
      Optional<String> missing = new ProviderFiles(tls.files()).read().unfinished();
      if (missing.isPresent()) {
        return missing.map(reason -> "tls credentials: " + reason);
      }
    }
    return server.callCredentials().stream()
        .map(XdsServer.CallCredentials::jwtTokenFile)
        .filter(MissingFile::isAbsent)
        .map(path -> "jwt_token_file " + path + " does not exist")
        .findFirst();
  }

  private static boolean isAbsent(String path) {
    try {
      return Files.notExists(Path.of(path));
    } catch (InvalidPathException neverThere) {
      return false;
    }
  }
}
