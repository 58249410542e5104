package io.outrigger.config.listener;

import io.outrigger.config.route.FilterConfig;

/** One filter of the chain, in order; unknown optional filters never get here (A39). */
public record HttpFilter(String name, FilterConfig config) {}
