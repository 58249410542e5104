package io.outrigger.proxy.options;

import java.lang.management.ManagementFactory;

/** What the machine or container gives this process. */
public record Machine(int cpus, long memoryBytes) {
  /** As the JVM sees it, which respects the limits of a cgroup. */
  public static Machine current() {
    long memory =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean os
            ? os.getTotalMemorySize()
            : Runtime.getRuntime().maxMemory();
    return new Machine(Runtime.getRuntime().availableProcessors(), memory);
  }
}
