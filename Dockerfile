# Outrigger's image: a Java runtime with only the modules in use, the distribution, and a start-up cache.
# Build the distribution first (scripts/build --no-cache --sbom), or let scripts/image do both.
# Another registry or a local image can serve through the two arguments, and a release names them by digest
# (NAME@sha256:…). The runtime image needs glibc, no shell.
ARG JDK_IMAGE=docker.io/library/eclipse-temurin:25-jdk
ARG RUNTIME_IMAGE=gcr.io/distroless/base-nossl-debian12

FROM ${JDK_IMAGE} AS build
COPY proxy/target/outrigger /build/distribution
COPY docker/assemble docker/TrainingApiServer.java docker/TrainingCalls.java /build/
RUN ["/bin/sh", "/build/assemble", "/build/distribution", "/opt/outrigger"]

FROM ${RUNTIME_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=unknown
ARG RUNTIME_IMAGE
LABEL org.opencontainers.image.title="Outrigger" \
      org.opencontainers.image.description="A standalone xDS-aware sidecar proxy" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="${RUNTIME_IMAGE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
COPY --from=build /opt/outrigger /opt/outrigger
# One heap for all threads of malloc but two, as in the launcher: compilers and loops else keep megabytes each.
ENV MALLOC_ARENA_MAX=2
# With the locale C, the JVM cannot open files whose names are not ASCII.
ENV LC_ALL=C.UTF-8
ENV PATH=/opt/outrigger/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65532:65532
# Proof that the program runs here, and with its cache: in this mode one that does not fit ends the JVM.
ARG JAVA_TOOL_OPTIONS=-XX:AOTMode=on
RUN ["outrigger", "--version"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["outrigger", "wait", "--admin", "127.0.0.1:9901", "--timeout", "2s"]
ENTRYPOINT ["outrigger"]
CMD ["run"]
