package io.outrigger.xds.transport;

import io.outrigger.base.AnyThread;
import io.outrigger.config.bootstrap.Bootstrap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether the control planes of a bootstrap could be asked: their targets, and the files that their
 * credentials name (A65, A97). Connects to nothing.
 *
 * @param errors for which a start would be refused; one line each
 * @param warnings for which streams would fail until it is mended
 */
@AnyThread
public record CredentialCheck(List<String> errors, List<String> warnings) {
  public CredentialCheck {
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  /** Looks at each control plane once. Blocks while it reads. */
  public static CredentialCheck of(Bootstrap bootstrap) {
    List<String> errors = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    bootstrap
        .allServers()
        .forEach(
            server -> {
              try {
                ServerChannel.requireUsable(server, System.getenv());
              } catch (IllegalArgumentException unusable) {
                errors.add(String.valueOf(unusable.getMessage()));
              }
              server.callCredentials().stream()
                  .flatMap(
                      each -> JwtTokenFile.problem(each.jwtTokenFile(), Instant.now()).stream())
                  .forEach(problem -> warnings.add("xds server " + server.uri() + ": " + problem));
            });
    return new CredentialCheck(errors, warnings);
  }
}
