package io.outrigger.dataplane.memory;

/**
 * The division of a container's memory. The JVM sizes the heap by the flags of {@code
 * docker/jvm.options}. A reserve is kept for metadata, compiled code, the running compiler, stacks,
 * and the pages of executed files. Network buffers get the rest, at most 35 % of the container. The
 * shares and the reserve were measured in containers of 128 MiB to 4 GiB (docs/run/sizing.md).
 *
 * <p>At the start, only the heap's limit can be read without delay. The JVM derives the heap's
 * limit from the container's limit, so the plan computes the container's limit from the heap's
 * limit (decision proxy-0037).
 *
 * @param heapBytes the maximum size of the heap
 * @param directBytes the maximum size of all network buffers together
 */
public record MemoryPlan(long heapBytes, long directBytes) {
  /** The system property with Netty's limit for direct buffers; the user's value is kept. */
  static final String DIRECT_PROPERTY = "io.netty.maxDirectMemory";

  /** The system property that chooses Netty's allocator; the user's value is kept. */
  static final String ALLOCATOR_PROPERTY = "io.netty.allocator.type";

  /** The system property that the launchers set when they give the JVM a start-up cache. */
  static final String CACHE_PROPERTY = "outrigger.start-up-cache";

  private static final long MIB = 1 << 20;

  /**
   * The heap's share of a small container's memory: the JVM uses {@code MinRAMPercentage} if the
   * resulting heap is smaller than the JVM's default maximum heap of 124.8 MiB.
   */
  private static final double SMALL_SHARE = 0.28;

  private static final long SMALL_HEAP_BYTES = 125 * MIB;

  /** {@code MaxRAMPercentage}: the heap's share of a container from 445 MiB (heap: 156 MiB) on. */
  private static final double SHARE = 0.35;

  /** The reserve for everything except heap and buffers; includes the pages of executed files. */
  private static final long REST_BYTES = 90 * MIB;

  /**
   * The memory for classes if there is no start-up cache: 29 MiB on Java 17, 21 MiB on Java 25.
   * With a start-up cache, classes are pages of a mapped file, and the kernel can drop these pages.
   */
  private static final long CLASSES_BYTES = 30 * MIB;

  /**
   * The lowest limit for all buffers together, because each call needs buffers. In small containers
   * the buffers use part of the reserve, which is seldom used up there.
   */
  private static final long MIN_DIRECT_BYTES = 14 * MIB;

  /**
   * The size of the young generation, {@code -Xmn}. The JVM moves objects that stay live to the old
   * generation.
   */
  static final long YOUNG_BYTES = 4 * MIB;

  /** The heap of the program itself (9 MiB) and of its configuration (about 7 MiB). */
  private static final long PROGRAM_BYTES = 16 * MIB;

  /**
   * The share of the old generation (without {@link #PROGRAM_BYTES}) that peers may hold; the rest
   * is for garbage. In a container of 256 MiB, 10,000 idle connections fit into the peers' part of
   * the heap.
   */
  private static final double PEER_SHARE = 0.78;

  /** The minimum heap of peers beside a large configuration; more than a young generation. */
  private static final long MIN_PEER_BYTES = 8 * MIB;

  /**
   * The share of the buffer limit that peers may use; the rest is for sizes that the allocator
   * rounds up, and for memory that it keeps.
   */
  private static final double SAFE_DIRECT_SHARE = 0.9;

  private static final long DIRECT_HEADROOM_BYTES = 4 * MIB;

  /** Returns the plan of this process; {@link #limitBuffers} does not change the result. */
  public static MemoryPlan ofProcess() {
    long heap = Runtime.getRuntime().maxMemory();
    long given = Long.getLong(DIRECT_PROPERTY, 0);
    return given > 0
        ? new MemoryPlan(heap, given)
        : ofHeap(heap, Boolean.getBoolean(CACHE_PROPERTY));
  }

  /** Returns the plan for a JVM whose flags have resulted in the given maximum heap size. */
  static MemoryPlan ofHeap(long heapBytes, boolean hasStartUpCache) {
    long container = containerBytes(heapBytes);
    long rest = REST_BYTES + (hasStartUpCache ? 0 : CLASSES_BYTES);
    long left = container - heapBytes - rest;
    long direct = Math.min((long) (container * SHARE), left);
    return new MemoryPlan(heapBytes, Math.max(MIN_DIRECT_BYTES, direct));
  }

  /**
   * Sets the limit of Netty's buffers, and turns off pooling, so that Netty calls malloc for every
   * buffer. A pooling allocator keeps a chunk as long as any part of the chunk is in use, so the
   * end of a connection frees little. Must be called before the first class of Netty is loaded.
   */
  public void limitBuffers() {
    System.setProperty(DIRECT_PROPERTY, Long.toString(directBytes));
    if (System.getProperty(ALLOCATOR_PROPERTY) == null) {
      System.setProperty(ALLOCATOR_PROPERTY, "unpooled");
    }
  }

  /** Returns the size of the container for which the JVM chooses the given maximum heap size. */
  static long containerBytes(long heapBytes) {
    return (long) (heapBytes / (heapBytes < SMALL_HEAP_BYTES ? SMALL_SHARE : SHARE));
  }

  /** Returns the heap bytes that peers may hold; a fuller heap would make collections slow. */
  public long peerHeapBytes() {
    return Math.max(MIB, (long) ((heapBytes - YOUNG_BYTES - PROGRAM_BYTES) * PEER_SHARE));
  }

  /** Returns what is left of the peers' limit when the program holds {@code programBytes}. */
  static long peerHeapBytes(long limit, long programBytes) {
    long left = limit - (long) (Math.max(0, programBytes - PROGRAM_BYTES) * PEER_SHARE);
    return Math.max(left, Math.min(limit, MIN_PEER_BYTES));
  }

  /** Returns the buffer bytes that peers may hold; the remaining buffer bytes are for reads. */
  public long peerDirectBytes() {
    long safe = (long) (directBytes * SAFE_DIRECT_SHARE);
    return Math.max(MIB, Math.min(safe, directBytes - DIRECT_HEADROOM_BYTES));
  }

  /** Returns the default of {@code --max-memory}, which is also the maximum of this flag. */
  public long peerBytes() {
    return peerHeapBytes() + peerDirectBytes();
  }
}
