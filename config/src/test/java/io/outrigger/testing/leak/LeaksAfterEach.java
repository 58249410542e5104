package io.outrigger.testing.leak;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a test class: leaks are looked for after each of its tests rather than after the last, so that
 * the test that leaked is the one that fails. A look costs two garbage collections.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface LeaksAfterEach {}
