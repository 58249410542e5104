package io.outrigger.config.listener;

import io.outrigger.config.route.FilterConfig;

/**
 * One HTTP filter of a listener's filter chain. The decoder drops unknown optional filters (A39).
 */
public record HttpFilter(String name, FilterConfig config) {}
