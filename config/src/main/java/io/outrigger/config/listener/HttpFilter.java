package io.outrigger.config.listener;

/** One filter of the chain, in order; unknown optional filters never get here (A39). */
public record HttpFilter(String name, FilterConfig config) {}
