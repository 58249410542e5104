package io.outrigger.config.listener;

import io.outrigger.config.route.FilterConfig;

/** An HTTP filter of a listener. The decoder drops unknown optional filters (A39). */
public record HttpFilter(String name, FilterConfig config) {}
