package io.outrigger.dataplane.memory;

/**
 * How the memory of a container is divided. The JVM takes the heap's share by the flags of {@code
 * docker/jvm.options}; of what that leaves, network buffers get as much as leaves room for the
 * rest: metadata, compiled code, the compiler at work, stacks, and the pages of files that run. The
 * shares and the rest were measured from 128 MiB to 4 GiB (proxy/docs/memory.md).
 *
 * <p>The heap's limit is the one figure that the JVM gives away at no cost, and it follows from the
 * container's, so the container's follows from it (decision proxy-0037).
 *
 * @param heapBytes the most that the heap can be
 * @param directBytes the most that network buffers can be together
 */
public record MemoryPlan(long heapBytes, long directBytes) {
  /** Netty's own limit for buffers; who gives it decides. */
  static final String DIRECT_PROPERTY = "io.netty.maxDirectMemory";

  /** Netty's kind of allocator; who gives it decides. */
  static final String ALLOCATOR_PROPERTY = "io.netty.allocator.type";

  /** The launchers set it where they give the JVM a start-up cache. */
  static final String CACHE_PROPERTY = "outrigger.start-up-cache";

  private static final long MIB = 1 << 20;

  /**
   * {@code MinRAMPercentage}. The JVM uses it where it makes a heap that is smaller than the one it
   * would make without any flag, {@link #SMALL_HEAP_BYTES}.
   */
  private static final double SMALL_SHARE = 0.28;

  /** {@code MaxRAMPercentage}, from about 445 MiB on. */
  private static final double SHARE = 0.35;

  /** Without any flag the JVM makes one of 124.8 MiB; the first by {@link #SHARE} has 156 MiB. */
  private static final long SMALL_HEAP_BYTES = 125 * MIB;

  /**
   * What everything but heap and buffers takes at its worst, the pages of files in use included.
   */
  private static final long REST_BYTES = 90 * MIB;

  /**
   * What classes take beside that in a JVM without a start-up cache, of which they are pages of a
   * file that the kernel can drop: 29 MiB on Java 17, 21 on Java 25.
   */
  private static final long CLASSES_BYTES = 30 * MIB;

  /** In small containers: the rest is then seldom at its worst, and calls need something. */
  private static final long MIN_DIRECT_BYTES = 14 * MIB;

  /** {@code -Xmn}: objects come to be there, and what stays is elsewhere. */
  static final long YOUNG_BYTES = 7 * MIB;

  /** What the program itself keeps (6 MiB), and as much again for a configuration. */
  private static final long PROGRAM_BYTES = 13 * MIB;

  /**
   * Of the old generation without the program: what is beyond it is for garbage. 10,000 idle
   * connections find room in 256 MiB before any of them counts as too much.
   */
  private static final double PEER_SHARE = 0.78;

  /** Of the limit for buffers: what is beyond it is what the allocator rounds up to and keeps. */
  private static final double SAFE_DIRECT_SHARE = 0.9;

  private static final long DIRECT_HEADROOM_BYTES = 4 * MIB;

  /** The plan of this process, before {@link #limitBuffers} or after. */
  public static MemoryPlan ofProcess() {
    long heap = Runtime.getRuntime().maxMemory();
    long given = Long.getLong(DIRECT_PROPERTY, 0);
    return given > 0
        ? new MemoryPlan(heap, given)
        : ofHeap(heap, Boolean.getBoolean(CACHE_PROPERTY));
  }

  /** The plan where the JVM chose a heap of {@code heapBytes} by its flags. */
  static MemoryPlan ofHeap(long heapBytes, boolean hasStartUpCache) {
    long container = containerBytes(heapBytes);
    long rest = REST_BYTES + (hasStartUpCache ? 0 : CLASSES_BYTES);
    long left = container - heapBytes - rest;
    long direct = Math.min((long) (container * SHARE), left);
    return new MemoryPlan(heapBytes, Math.max(MIN_DIRECT_BYTES, direct));
  }

  /**
   * Has Netty fail at once where its buffers would take more than this plan has for them, and take
   * them from malloc one by one: an allocator that keeps chunks keeps them for parts of them, so
   * that what it has given out is not what is in use, and little comes back when a connection ends.
   * Comes before the first of Netty's classes.
   */
  public void limitBuffers() {
    System.setProperty(DIRECT_PROPERTY, Long.toString(directBytes));
    if (System.getProperty(ALLOCATOR_PROPERTY) == null) {
      System.setProperty(ALLOCATOR_PROPERTY, "unpooled");
    }
  }

  /** The container that has such a heap. */
  public long containerBytes() {
    return containerBytes(heapBytes);
  }

  private static long containerBytes(long heapBytes) {
    return (long) (heapBytes / (heapBytes < SMALL_HEAP_BYTES ? SMALL_SHARE : SHARE));
  }

  /** What peers may make the process hold on the heap, so that collections stay cheap. */
  public long peerHeapBytes() {
    return Math.max(MIB, (long) ((heapBytes - YOUNG_BYTES - PROGRAM_BYTES) * PEER_SHARE));
  }

  /** What peers may make the process hold in buffers, so that reads still get theirs. */
  public long peerDirectBytes() {
    long safe = (long) (directBytes * SAFE_DIRECT_SHARE);
    return Math.max(MIB, Math.min(safe, directBytes - DIRECT_HEADROOM_BYTES));
  }

  /** The default of {@code --max-memory}, and the most that it may be. */
  public long peerBytes() {
    return peerHeapBytes() + peerDirectBytes();
  }
}
