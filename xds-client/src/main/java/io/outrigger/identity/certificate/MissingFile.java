package io.outrigger.identity.certificate;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A file of the bootstrap that does not exist yet, or a certificate and a key that do not match
 * yet. Another program may still be writing the files. A file that exists but cannot be used does
 * not count as missing.
 *
 * @param reason one line with the control plane or provider that uses the file, the bootstrap field
 *     and the path
 * @param isRequired whether the proxy cannot call a control plane without the file; false for all
 *     files of certificate providers
 */
public record MissingFile(String reason, boolean isRequired) {
  /** Returns the first missing file, required files first; empty if no file is missing. Blocks. */
  public static Optional<MissingFile> of(Bootstrap bootstrap) {
    return Stream.concat(
            bootstrap.allServers().stream().flatMap(MissingFile::ofServer),
            new TreeMap<>(bootstrap.certificateProviders())
                .entrySet().stream().flatMap(each -> ofProvider(each.getKey(), each.getValue())))
        .findFirst();
  }

  private static Stream<MissingFile> ofServer(XdsServer server) {
    Stream<String> certificates =
        server.credentials() instanceof Tls tls
            ? unfinished(tls.files()).map(reason -> "tls credentials: " + reason)
            : Stream.empty();
    Stream<String> tokens =
        server.callCredentials().stream()
            .map(XdsServer.CallCredentials::jwtTokenFile)
            .filter(MissingFile::isAbsent)
            .map(path -> "jwt_token_file " + path + " does not exist");
    return Stream.concat(certificates, tokens)
        .map(reason -> new MissingFile("xds server " + server.uri() + ": " + reason, true));
  }

  private static Stream<MissingFile> ofProvider(String instance, CertificateProvider provider) {
    return provider instanceof CertificateProvider.FileWatcher watcher
        ? unfinished(watcher.files())
            .map(reason -> CertificateStore.named(instance, reason))
            .map(reason -> new MissingFile(reason, false))
        : Stream.empty();
  }

  private static Stream<String> unfinished(CertificateFiles files) {
    return new ProviderFiles(files).read().unfinished().stream();
  }

  private static boolean isAbsent(String path) {
    try {
      return Files.notExists(Path.of(path));
    } catch (InvalidPathException neverThere) {
      return false;
    }
  }
}
