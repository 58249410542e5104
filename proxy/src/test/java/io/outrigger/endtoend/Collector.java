package io.outrigger.endtoend;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceResponse;
import io.opentelemetry.proto.collector.metrics.v1.MetricsServiceGrpc;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** An OTLP receiver that keeps all spans, and of each metric what came last. */
final class Collector implements AutoCloseable {
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final Map<String, Metric> metrics = new ConcurrentHashMap<>();
  private final List<Resource> resources = new CopyOnWriteArrayList<>();
  private final Server server;

  Collector() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Traces())
            .addService(new Metrics())
            .build()
            .start();
  }

  String endpoint() {
    return "http://127.0.0.1:" + server.getPort();
  }

  List<Span> spans() {
    return spans;
  }

  /** By name. */
  Map<String, Metric> metrics() {
    return metrics;
  }

  List<Resource> resources() {
    return resources;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }

  private final class Traces extends TraceServiceGrpc.TraceServiceImplBase {
    @Override
    public void export(
        ExportTraceServiceRequest request, StreamObserver<ExportTraceServiceResponse> answer) {
      request
          .getResourceSpansList()
          .forEach(
              resource -> {
                resources.add(resource.getResource());
                resource.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
              });
      answer.onNext(ExportTraceServiceResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }

  private final class Metrics extends MetricsServiceGrpc.MetricsServiceImplBase {
    @Override
    public void export(
        ExportMetricsServiceRequest request, StreamObserver<ExportMetricsServiceResponse> answer) {
      request
          .getResourceMetricsList()
          .forEach(
              resource ->
                  resource
                      .getScopeMetricsList()
                      .forEach(
                          scope ->
                              scope
                                  .getMetricsList()
                                  .forEach(metric -> metrics.put(metric.getName(), metric))));
      answer.onNext(ExportMetricsServiceResponse.getDefaultInstance());
      answer.onCompleted();
    }
  }
}
