package io.outrigger.proxy.cli;

/** What the commands start. */
public record Programs(Program run, DemoProgram demo, ResourceCheck resources, LiveProgram live) {}
