package io.outrigger.base;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Target;

/** Marks a type that any thread may use: the type is immutable or consists of atomics. */
@Documented
@Target(ElementType.TYPE)
public @interface AnyThread {}
