package io.outrigger.config.endpoint;

import io.outrigger.config.route.Fraction;

/** The share of requests to drop for one category (A27-10). */
public record DropCategory(String category, Fraction share) {}
