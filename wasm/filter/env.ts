// The functions of the proxy that the filter calls (proxy-wasm ABI 0.2.1); the file's name is the import's module.
// https://github.com/proxy-wasm/spec/tree/main/abi-versions/v0.2.1

export declare function proxy_log(level: i32, message: u32, length: u32): i32;
export declare function proxy_get_buffer_bytes(
  buffer: i32,
  start: u32,
  bytesMax: u32,
  returnPointer: u32,
  returnLength: u32,
): i32;
export declare function proxy_get_header_map_pairs(
  map: i32,
  returnPointer: u32,
  returnLength: u32,
): i32;
export declare function proxy_remove_header_map_value(map: i32, name: u32, length: u32): i32;
export declare function proxy_replace_header_map_value(
  map: i32,
  name: u32,
  nameLength: u32,
  value: u32,
  valueLength: u32,
): i32;
export declare function proxy_get_property(
  path: u32,
  length: u32,
  returnPointer: u32,
  returnLength: u32,
): i32;
export declare function proxy_set_property(
  path: u32,
  pathLength: u32,
  value: u32,
  valueLength: u32,
): i32;
export declare function proxy_get_current_time_nanoseconds(returnTime: u32): i32;
export declare function proxy_send_local_response(
  status: u32,
  details: u32,
  detailsLength: u32,
  body: u32,
  bodyLength: u32,
  headers: u32,
  headersLength: u32,
  grpcStatus: i32,
): i32;
