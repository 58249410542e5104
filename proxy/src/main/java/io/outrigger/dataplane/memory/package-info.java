/**
 * The memory of the process: its division ({@link MemoryPlan}), the measurement of the memory that
 * peers make the process hold ({@link MemoryGauge}), the choice of connections to end when peers
 * hold too much ({@link LoopMemory}), and the consequence when memory runs out nevertheless ({@link
 * OutOfMemory}).
 *
 * <p>Connections are ranked on their event loop; plans and measurements are safe to use on any
 * thread. CONTRACT section 2, {@code --max-memory}; decisions proxy-0037, proxy-0038 and
 * proxy-0046.
 */
@NullMarked
package io.outrigger.dataplane.memory;

import org.jspecify.annotations.NullMarked;
