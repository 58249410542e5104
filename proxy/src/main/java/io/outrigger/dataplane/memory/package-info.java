/**
 * How much memory the process has and who gets which part of it ({@link MemoryPlan}); what peers
 * make it hold, as it is measured ({@link MemoryGauge}), and which connections end when that is too
 * much ({@link LoopMemory}); what happens when a part is used up all the same ({@link
 * OutOfMemory}).
 *
 * <p>Connections are ranked on their event loop; plans and measurements are for any thread.
 * CONTRACT section 2, {@code --max-memory}; decisions proxy-0037, proxy-0038 and proxy-0046.
 */
@NullMarked
package io.outrigger.dataplane.memory;

import org.jspecify.annotations.NullMarked;
