/**
 * Benchmarks of the paths that every request takes (JMH), each with its target; {@code
 * scripts/bench pick} runs them. They use the real tree and the real selector on scripted
 * connections. No part of the distribution.
 */
package io.outrigger.bench;
