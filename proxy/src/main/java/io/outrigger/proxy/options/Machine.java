package io.outrigger.proxy.options;

/** What the machine or container gives this process. */
public record Machine(int cpus) {
  /** As the JVM sees it, which respects the limits of a cgroup. */
  public static Machine current() {
    return new Machine(Runtime.getRuntime().availableProcessors());
  }
}
