package io.outrigger.program.options;

import io.outrigger.dataplane.memory.MemoryPlan;

/** The resources that the machine or container gives to this process. */
public record Machine(int cpus, MemoryPlan memory) {
  /** Returns the resources that the JVM sees; the JVM respects the limits of a cgroup. */
  public static Machine current() {
    return new Machine(Runtime.getRuntime().availableProcessors(), MemoryPlan.ofProcess());
  }
}
