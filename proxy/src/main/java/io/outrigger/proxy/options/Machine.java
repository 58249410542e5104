package io.outrigger.proxy.options;

import java.lang.management.ManagementFactory;

/** What the machine or container gives this process, as the JVM sees it. */
public final class Machine {
  private Machine() {}

  public static int cpus() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Respects the limits of a cgroup. Takes some milliseconds when it is asked first. */
  public static long memoryBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean os
        ? os.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }
}
