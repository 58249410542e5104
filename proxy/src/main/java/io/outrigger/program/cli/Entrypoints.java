package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.xds.transport.CredentialCheck;
import java.util.List;
import java.util.function.Function;

/**
 * What the commands start.
 *
 * @param run the sidecar
 * @param preparation what a run needs whatever it is configured with: done on another thread while
 *     its files are read, and not necessary; no part needs another one or its thread
 * @param credentials looks at the control planes of a bootstrap without asking them; may block
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
