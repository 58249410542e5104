/**
 * How much memory the process has and who gets which part of it ({@link MemoryPlan}); what peers
 * make it hold, and who lets go of it when that is too much ({@link MemoryLedger}); what happens
 * when a part is used up all the same ({@link OutOfMemory}).
 *
 * <p>Accounts live on the event loop of their connection; plans and sums are for any thread.
 * CONTRACT section 2, {@code --max-memory}; decisions proxy 0024, 0037 and 0038.
 */
@NullMarked
package io.outrigger.proxy.memory;

import org.jspecify.annotations.NullMarked;
