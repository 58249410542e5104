package io.outrigger.program.options;

import io.outrigger.dataplane.memory.MemoryPlan;

/** What the machine or container gives this process. */
public record Machine(int cpus, MemoryPlan memory) {
  /** As the JVM sees it, which respects the limits of a cgroup. */
  public static Machine current() {
    return new Machine(Runtime.getRuntime().availableProcessors(), MemoryPlan.ofProcess());
  }
}
