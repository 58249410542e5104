package io.outrigger.proxy.cli;

/**
 * What the commands start.
 *
 * @param run the sidecar
 * @param preparation what a run needs whatever it is configured with: done on another thread while
 *     its files are read, and not necessary
 */
public record Programs(
    Program run,
    Runnable preparation,
    DemoProgram demo,
    ResourceCheck resources,
    LiveProgram live) {}
