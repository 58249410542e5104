package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.xds.transport.CredentialCheck;
import java.util.List;
import java.util.function.Function;

/**
 * The programs that the commands start.
 *
 * @param run the sidecar
 * @param preparation initialization that every run needs, whatever its configuration. The
 *     initialization runs on another thread while files are read. A run also works without it, and
 *     no part depends on another part or on its thread.
 * @param credentials checks the credentials of a bootstrap without connecting to its control
 *     planes; may block
 */
public record Entrypoints(
    RunEntrypoint run,
    List<Runnable> preparation,
    DemoEntrypoint demo,
    ResourceCheck resources,
    Function<Bootstrap, CredentialCheck> credentials,
    LiveEntrypoint live) {
  public Entrypoints {
    preparation = List.copyOf(preparation);
  }
}
