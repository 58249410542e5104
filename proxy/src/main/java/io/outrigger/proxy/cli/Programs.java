package io.outrigger.proxy.cli;

import java.util.List;

/**
 * What the commands start.
 *
 * @param run the sidecar
 * @param preparation what a run needs whatever it is configured with: done on another thread while
 *     its files are read, and not necessary; no part needs another one or its thread
 */
public record Programs(
    Program run,
    List<Runnable> preparation,
    DemoProgram demo,
    ResourceCheck resources,
    LiveProgram live) {
  public Programs {
    preparation = List.copyOf(preparation);
  }
}
