/**
 * The memory of the process. {@link MemoryPlan} divides it. {@link MemoryGauge} measures how much
 * memory the process holds because of its peers. When that is too much, {@link LoopMemory} chooses
 * the connections to end. When memory runs out, {@link OutOfMemory} reacts.
 *
 * <p>Connections are ranked on their event loop; {@link MemoryPlan} and {@link MemoryGauge} are
 * safe to use on any thread. CONTRACT section 2, {@code --max-memory}; decisions proxy-0037,
 * proxy-0038 and proxy-0046.
 */
package io.outrigger.dataplane.memory;
