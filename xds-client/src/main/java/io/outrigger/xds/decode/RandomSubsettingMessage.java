package io.outrigger.xds.decode;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.TextFormat;
import com.google.protobuf.WrappersProto;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;

/** Envoy's message {@code RandomSubsetting}, which the bundled generated classes do not include. */
final class RandomSubsettingMessage {
  static final String TYPE =
      "envoy.extensions.load_balancing_policies.random_subsetting.v3.RandomSubsetting";

  private static final String FILE =
      """
      name: "envoy/extensions/load_balancing_policies/random_subsetting/v3/random_subsetting.proto"
      package: "envoy.extensions.load_balancing_policies.random_subsetting.v3"
      syntax: "proto3"
      dependency: "envoy/config/cluster/v3/cluster.proto"
      dependency: "google/protobuf/wrappers.proto"
      message_type {
        name: "RandomSubsetting"
        field {
          name: "subset_size" number: 1 label: LABEL_OPTIONAL
          type: TYPE_MESSAGE type_name: ".google.protobuf.UInt32Value"
        }
        field {
          name: "child_policy" number: 2 label: LABEL_OPTIONAL
          type: TYPE_MESSAGE type_name: ".envoy.config.cluster.v3.LoadBalancingPolicy"
        }
      }
      """;

  private RandomSubsettingMessage() {}

  static Descriptor descriptor() {
    FileDescriptor[] imported = {Cluster.getDescriptor().getFile(), WrappersProto.getDescriptor()};
    try {
      var file = FileDescriptorProto.newBuilder();
      TextFormat.merge(FILE, file);
      return FileDescriptor.buildFrom(file.build(), imported).getMessageType(0);
    } catch (TextFormat.ParseException | DescriptorValidationException e) {
      throw new AssertionError(e);
    }
  }
}
