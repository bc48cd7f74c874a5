<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * What nginx's own modules take: how many arguments, a block or none, and where blocks may stand. It tells a semicolon
 * that is missing from an argument. Directives of other modules are taken as they come.
 *
 * @link https://nginx.org/en/docs/dirindex.html
 *
 * @internal
 */
final class Grammar
{
    /** Directives that a semicolon ends, by how many arguments they take. */
    private const PLAIN = [
        '0-0' => 'break empty_gif flv internal ip_hash least_conn mp4',
        '0-1' => 'stub_status tunnel_pass',
        '0-2' => 'random',
        '1-' => 'access_log addition_types ancient_browser charset_types client_body_early_read dav_methods '
            .'early_hints error_log '
            .'fastcgi_cache_bypass fastcgi_cache_methods fastcgi_cache_use_stale fastcgi_cache_valid '
            .'fastcgi_ignore_headers '
            .'fastcgi_next_upstream fastcgi_no_cache grpc_ignore_headers grpc_next_upstream grpc_ssl_protocols '
            .'gzip_disable '
            .'gzip_proxied gzip_types imap_auth imap_capabilities index listen memcached_next_upstream pop3_auth '
            .'pop3_capabilities '
            .'proxy_cache_bypass proxy_cache_methods proxy_cache_use_stale proxy_cache_valid proxy_ignore_headers '
            .'proxy_next_upstream proxy_no_cache proxy_ssl_alpn proxy_ssl_protocols resolver scgi_cache_bypass '
            .'scgi_cache_methods '
            .'scgi_cache_use_stale scgi_cache_valid scgi_ignore_headers scgi_next_upstream scgi_no_cache server '
            .'server_name '
            .'smtp_auth smtp_capabilities ssi_types ssl_alpn ssl_protocols sub_filter_types tunnel_next_upstream '
            .'uwsgi_cache_bypass '
            .'uwsgi_cache_methods uwsgi_cache_use_stale uwsgi_cache_valid uwsgi_ignore_headers uwsgi_next_upstream '
            .'uwsgi_no_cache '
            .'uwsgi_ssl_protocols valid_referers worker_cpu_affinity xslt_stylesheet xslt_types',
        '1-1' => 'absolute_redirect accept_mutex accept_mutex_delay acceptex_read add_after_body add_before_body '
            .'add_header_inherit '
            .'add_trailer_inherit aio aio_write alias allow ancient_browser_value auth_basic '
            .'auth_basic_user_file auth_delay '
            .'auth_http auth_http_pass_client_cert auth_http_timeout auth_request autoindex autoindex_exact_size '
            .'autoindex_format '
            .'autoindex_localtime charset chunked_transfer_encoding client_body_buffer_size client_body_in_file_only '
            .'client_body_in_single_buffer client_body_timeout client_header_buffer_size client_header_timeout '
            .'client_max_body_size '
            .'connection_pool_size create_full_put_path daemon debug_connection debug_points default_type degradation '
            .'degrade deny '
            .'devpoll_changes devpoll_events directio directio_alignment env epoll_events etag eventport_events '
            .'fastcgi_buffer_size '
            .'fastcgi_buffering fastcgi_busy_buffers_size fastcgi_cache fastcgi_cache_background_update '
            .'fastcgi_cache_key '
            .'fastcgi_cache_lock fastcgi_cache_lock_age fastcgi_cache_lock_timeout fastcgi_cache_max_range_offset '
            .'fastcgi_cache_min_uses fastcgi_cache_revalidate fastcgi_catch_stderr fastcgi_connect_timeout '
            .'fastcgi_force_ranges '
            .'fastcgi_hide_header fastcgi_ignore_client_abort fastcgi_index fastcgi_intercept_errors fastcgi_keep_conn '
            .'fastcgi_limit_rate fastcgi_max_temp_file_size fastcgi_next_upstream_timeout fastcgi_next_upstream_tries '
            .'fastcgi_pass '
            .'fastcgi_pass_header fastcgi_pass_request_body fastcgi_pass_request_headers fastcgi_read_timeout '
            .'fastcgi_request_buffering fastcgi_send_lowat fastcgi_send_timeout fastcgi_socket_keepalive '
            .'fastcgi_socket_rcvbuf '
            .'fastcgi_socket_sndbuf fastcgi_split_path_info fastcgi_store fastcgi_temp_file_write_size geoip_proxy '
            .'geoip_proxy_recursive google_perftools_profiles grpc_buffer_size grpc_connect_timeout grpc_hide_header '
            .'grpc_intercept_errors grpc_next_upstream_timeout grpc_next_upstream_tries grpc_pass grpc_pass_header '
            .'grpc_read_timeout '
            .'grpc_send_timeout grpc_socket_keepalive grpc_socket_rcvbuf grpc_socket_sndbuf grpc_ssl_certificate '
            .'grpc_ssl_certificate_key grpc_ssl_ciphers grpc_ssl_crl grpc_ssl_name grpc_ssl_password_file '
            .'grpc_ssl_server_name '
            .'grpc_ssl_session_reuse grpc_ssl_trusted_certificate grpc_ssl_verify grpc_ssl_verify_depth gunzip gzip '
            .'gzip_comp_level '
            .'gzip_hash gzip_http_version gzip_min_length gzip_no_buffer gzip_static gzip_vary gzip_window http2 '
            .'http2_body_preread_size http2_chunk_size http2_idle_timeout http2_max_concurrent_pushes '
            .'http2_max_concurrent_streams '
            .'http2_max_field_size http2_max_header_size http2_max_requests http2_pool_size http2_push '
            .'http2_push_preload '
            .'http2_recv_buffer_size http2_recv_timeout http2_streams_index_size http3 http3_hq '
            .'http3_max_concurrent_streams '
            .'http3_stream_buffer_size if_modified_since ignore_invalid_headers image_filter_buffer '
            .'image_filter_interlace '
            .'image_filter_jpeg_quality image_filter_sharpen image_filter_transparency image_filter_webp_quality '
            .'imap_client_buffer '
            .'include iocp_threads keepalive_min_timeout keepalive_requests keepalive_time kqueue_changes '
            .'kqueue_events '
            .'limit_conn_dry_run limit_conn_log_level limit_conn_status limit_rate limit_rate_after limit_req_dry_run '
            .'limit_req_log_level limit_req_status lingering_close lingering_time lingering_timeout '
            .'load_module lock_file '
            .'log_not_found log_subrequest map_hash_bucket_size map_hash_max_size master_process max_errors '
            .'max_headers max_ranges '
            .'memcached_buffer_size memcached_connect_timeout memcached_gzip_flag memcached_next_upstream_timeout '
            .'memcached_next_upstream_tries memcached_pass memcached_read_timeout memcached_send_timeout '
            .'memcached_socket_keepalive '
            .'merge_slashes min_delete_depth mirror mirror_request_body modern_browser_value mp4_buffer_size '
            .'mp4_max_buffer_size '
            .'mp4_start_key_frame msie_padding msie_refresh multi_accept open_file_cache_errors open_file_cache_events '
            .'open_file_cache_min_uses open_file_cache_valid override_charset pass pcre_jit perl perl_modules '
            .'perl_require pid '
            .'port_in_redirect post_acceptex post_action postpone_gzipping postpone_output preread_buffer_size '
            .'preread_timeout '
            .'protocol proxy proxy_buffer proxy_buffer_size proxy_buffering proxy_busy_buffers_size proxy_cache '
            .'proxy_cache_background_update proxy_cache_convert_head proxy_cache_key proxy_cache_lock '
            .'proxy_cache_lock_age '
            .'proxy_cache_lock_timeout proxy_cache_max_range_offset proxy_cache_min_uses proxy_cache_revalidate '
            .'proxy_connect_timeout proxy_download_rate proxy_downstream_buffer proxy_force_ranges proxy_half_close '
            .'proxy_headers_hash_bucket_size proxy_headers_hash_max_size proxy_hide_header proxy_http_version '
            .'proxy_ignore_client_abort proxy_intercept_errors proxy_limit_rate proxy_max_temp_file_size proxy_method '
            .'proxy_next_upstream_timeout proxy_next_upstream_tries proxy_pass proxy_pass_error_message '
            .'proxy_pass_header '
            .'proxy_pass_request_body proxy_pass_request_headers proxy_pass_trailers proxy_protocol '
            .'proxy_protocol_timeout '
            .'proxy_read_timeout proxy_request_buffering proxy_requests proxy_responses proxy_send_lowat '
            .'proxy_send_timeout '
            .'proxy_set_body proxy_smtp_auth proxy_socket_keepalive proxy_socket_rcvbuf proxy_socket_sndbuf proxy_ssl '
            .'proxy_ssl_certificate proxy_ssl_certificate_key proxy_ssl_ciphers proxy_ssl_crl proxy_ssl_name '
            .'proxy_ssl_password_file '
            .'proxy_ssl_server_name proxy_ssl_session_reuse proxy_ssl_trusted_certificate proxy_ssl_verify '
            .'proxy_ssl_verify_depth '
            .'proxy_store proxy_temp_file_write_size proxy_timeout proxy_upload_rate proxy_upstream_buffer '
            .'quic_active_connection_id_limit quic_bpf quic_gso quic_host_key quic_retry random_index read_ahead '
            .'real_ip_header '
            .'real_ip_recursive recursive_error_pages referer_hash_bucket_size referer_hash_max_size request_pool_size '
            .'reset_timedout_connection resolver_timeout rewrite_log root satisfy scgi_buffer_size scgi_buffering '
            .'scgi_busy_buffers_size scgi_cache scgi_cache_background_update scgi_cache_key scgi_cache_lock '
            .'scgi_cache_lock_age '
            .'scgi_cache_lock_timeout scgi_cache_max_range_offset scgi_cache_min_uses scgi_cache_revalidate '
            .'scgi_connect_timeout '
            .'scgi_force_ranges scgi_hide_header scgi_ignore_client_abort scgi_intercept_errors scgi_limit_rate '
            .'scgi_max_temp_file_size scgi_next_upstream_timeout scgi_next_upstream_tries scgi_pass scgi_pass_header '
            .'scgi_pass_request_body scgi_pass_request_headers scgi_read_timeout scgi_request_buffering '
            .'scgi_send_timeout '
            .'scgi_socket_keepalive scgi_socket_rcvbuf scgi_socket_sndbuf scgi_store scgi_temp_file_write_size '
            .'secure_link '
            .'secure_link_md5 secure_link_secret send_lowat send_timeout sendfile sendfile_max_chunk '
            .'server_name_in_redirect '
            .'server_names_hash_bucket_size server_names_hash_max_size server_tokens set_real_ip_from slice '
            .'smtp_client_buffer '
            .'smtp_greeting_delay source_charset ssi ssi_ignore_recycled_buffers ssi_last_modified ssi_min_file_chunk '
            .'ssi_silent_errors ssi_value_length ssl_buffer_size ssl_certificate ssl_certificate_compression '
            .'ssl_certificate_key '
            .'ssl_ciphers ssl_client_certificate ssl_crl ssl_dhparam ssl_early_data ssl_ecdh_curve '
            .'ssl_ech_file ssl_engine '
            .'ssl_handshake_timeout ssl_object_cache_inheritable ssl_ocsp ssl_ocsp_cache ssl_ocsp_responder '
            .'ssl_password_file '
            .'ssl_prefer_server_ciphers ssl_preread ssl_reject_handshake ssl_session_ticket_key ssl_session_tickets '
            .'ssl_session_timeout ssl_stapling ssl_stapling_file ssl_stapling_responder ssl_stapling_verify '
            .'ssl_trusted_certificate '
            .'ssl_verify_client ssl_verify_depth starttls sub_filter_last_modified sub_filter_once '
            .'subrequest_output_buffer_size '
            .'tcp_nodelay tcp_nopush timeout timer_resolution tunnel_buffer_size tunnel_connect_timeout '
            .'tunnel_next_upstream_timeout '
            .'tunnel_next_upstream_tries tunnel_read_timeout tunnel_send_lowat tunnel_send_timeout '
            .'tunnel_socket_keepalive '
            .'tunnel_socket_rcvbuf tunnel_socket_sndbuf types_hash_bucket_size types_hash_max_size '
            .'underscores_in_headers '
            .'uninitialized_variable_warn use userid userid_domain userid_expires userid_mark userid_name userid_p3p '
            .'userid_path '
            .'userid_service uwsgi_buffer_size uwsgi_buffering uwsgi_busy_buffers_size uwsgi_cache '
            .'uwsgi_cache_background_update '
            .'uwsgi_cache_key uwsgi_cache_lock uwsgi_cache_lock_age uwsgi_cache_lock_timeout '
            .'uwsgi_cache_max_range_offset '
            .'uwsgi_cache_min_uses uwsgi_cache_revalidate uwsgi_connect_timeout uwsgi_force_ranges uwsgi_hide_header '
            .'uwsgi_ignore_client_abort uwsgi_intercept_errors uwsgi_limit_rate uwsgi_max_temp_file_size '
            .'uwsgi_modifier1 '
            .'uwsgi_modifier2 uwsgi_next_upstream_timeout uwsgi_next_upstream_tries uwsgi_pass uwsgi_pass_header '
            .'uwsgi_pass_request_body uwsgi_pass_request_headers uwsgi_read_timeout uwsgi_request_buffering '
            .'uwsgi_send_timeout '
            .'uwsgi_socket_keepalive uwsgi_socket_rcvbuf uwsgi_socket_sndbuf uwsgi_ssl_certificate '
            .'uwsgi_ssl_certificate_key '
            .'uwsgi_ssl_ciphers uwsgi_ssl_crl uwsgi_ssl_name uwsgi_ssl_password_file uwsgi_ssl_server_name '
            .'uwsgi_ssl_session_reuse '
            .'uwsgi_ssl_trusted_certificate uwsgi_ssl_verify uwsgi_ssl_verify_depth uwsgi_store uwsgi_string '
            .'uwsgi_temp_file_write_size variables_hash_bucket_size variables_hash_max_size worker_aio_requests '
            .'worker_connections '
            .'worker_priority worker_processes worker_rlimit_core worker_rlimit_nofile worker_shutdown_timeout '
            .'working_directory '
            .'xclient xml_entities xml_external_entities xslt_last_modified',
        '1-2' => 'disable_symlinks expires fastcgi_bind geoip_city geoip_country geoip_org grpc_bind hash keepalive '
            .'keepalive_disable '
            .'keepalive_timeout least_time memcached_bind modern_browser open_file_cache proxy_bind '
            .'proxy_cookie_domain '
            .'proxy_cookie_path proxy_redirect return scgi_bind ssl_session_cache tunnel_bind user uwsgi_bind zone',
        '1-3' => 'dav_access fastcgi_store_access grpc_ssl_certificate_cache image_filter limit_req '
            .'proxy_ssl_certificate_cache '
            .'proxy_store_access scgi_store_access ssl_certificate_cache userid_flags uwsgi_ssl_certificate_cache'
            .' uwsgi_store_access',
        '1-4' => 'client_body_temp_path fastcgi_temp_path open_log_file_cache proxy_cookie_flags proxy_temp_path '
            .'scgi_temp_path '
            .'uwsgi_temp_path',
        '2-' => 'error_page fastcgi_cache_path log_format proxy_cache_path scgi_cache_path sticky try_files'
            .' uwsgi_cache_path',
        '2-2' => 'auth_http_header auth_request_set fastcgi_buffers grpc_set_header grpc_ssl_conf_command '
            .'gunzip_buffers gzip_buffers '
            .'large_client_header_buffers limit_conn limit_conn_zone output_buffers perl_set proxy_buffers '
            .'proxy_set_header '
            .'proxy_ssl_conf_command scgi_buffers set ssl_conf_command sub_filter uwsgi_buffers '
            .'uwsgi_ssl_conf_command xslt_param '
            .'xslt_string_param',
        '2-3' => 'add_header add_trailer fastcgi_param rewrite scgi_param thread_pool uwsgi_param',
        '3-3' => 'limit_req_zone',
    ];

    /** Directives that open a block. */
    private const BLOCKS = [
        '0-0' => 'events http mail server stream types',
        '1-' => 'if limit_except',
        '1-1' => 'upstream',
        '1-2' => 'geo location',
        '2-2' => 'charset_map map split_clients',
    ];

    /** Blocks whose entries are no directives: a name and one value each, or one of these words alone. */
    private const PAIRS = [
        'charset_map' => [],
        'geo' => ['proxy_recursive', 'ranges', 'volatile'],
        'map' => ['hostnames', 'volatile'],
    ];

    /** The same, and nginx does not count what an entry has. */
    private const LISTS = ['split_clients', 'types'];

    /** Of these, those in which include is no entry but includes. */
    private const DATA_INCLUDES = ['geo', 'map', 'types'];

    /** Where a block may stand; '' is outside of all blocks. */
    private const CONTEXTS = [
        'events' => [''], 'http' => [''], 'mail' => [''], 'stream' => [''],
        'server' => ['http', 'mail', 'stream'],
        'upstream' => ['http', 'stream'],
        'location' => ['server', 'location'],
        'if' => ['server', 'location'],
        'limit_except' => ['location'],
        'geo' => ['http', 'stream'], 'map' => ['http', 'stream'], 'split_clients' => ['http', 'stream'],
        'charset_map' => ['http'],
        'types' => ['http', 'server', 'location'],
    ];

    /** @var array<string, array{int, int}> */
    private array $plain = [];

    /** @var array<string, array{int, int}> */
    private array $blocks = [];

    public function __construct()
    {
        foreach (self::PLAIN as $count => $names) {
            $this->plain += array_fill_keys(explode(' ', $names), self::range($count));
        }

        foreach (self::BLOCKS as $count => $names) {
            $this->blocks += array_fill_keys(explode(' ', $names), self::range($count));
        }
    }

    /** Whether include is read in it. */
    public function includes(?Directive $block): bool
    {
        return $block === null || ! $this->isData($block) || in_array($block->name, self::DATA_INCLUDES, true);
    }

    public function isData(?Directive $block): bool
    {
        return $block !== null && (isset(self::PAIRS[$block->name]) || in_array($block->name, self::LISTS, true));
    }

    /** Whether it and all around it are nginx's own, so that what stands in it is, too. */
    public function knows(?Directive $block): bool
    {
        for (; $block !== null; $block = $block->parent) {
            if (! isset($this->blocks[$block->name])) {
                return false;
            }
        }

        return true;
    }

    /** Whether a block of that name may stand there. What is not nginx's own may stand anywhere, and anything in it. */
    public function allows(string $name, ?Directive $in): bool
    {
        return ! isset(self::CONTEXTS[$name])
            || ! $this->knows($in)
            || in_array($in->name ?? '', self::CONTEXTS[$name], true);
    }

    /**
     * A statement that can not be right, at every line of it that begins with a directive:
     * there a semicolon is missing.
     *
     * @return non-empty-list<Statement>
     */
    public function apart(Statement $statement): array
    {
        $parts = [];
        $from = 0;

        for ($i = 1, $count = count($statement->words); $i < $count; $i++) {
            if ($statement->lines[$i] > $statement->lines[$i - 1] && $this->isDirective($statement->words[$i])) {
                $parts[] = $statement->part($from, $i);
                $from = $i;
            }
        }

        return [...$parts, $statement->part($from, null)];
    }

    /** What nginx would refuse of an entry of a block that is data. */
    public function objectionToEntry(string $file, Statement $statement, Directive $in): ?ParseIssue
    {
        $name = $statement->words[0];
        $arguments = count($statement->words) - 1;

        return match (true) {
            $statement->end === StatementEnd::Open => ParseIssue::unexpected($file, $statement->line, '{'),
            in_array($in->name, self::LISTS, true),
            $arguments === 1,
            $arguments === 0 && in_array($name, self::PAIRS[$in->name] ?? [], true) => null,
            default => ParseIssue::count($file, $statement->lines[0], $name, $arguments),
        };
    }

    /** What nginx would refuse of a directive. */
    public function objection(string $file, Statement $statement, ?Directive $in): ?ParseIssue
    {
        $name = $statement->words[0];
        $line = $statement->lines[0];
        $arguments = count($statement->words) - 1;
        $opens = $statement->end === StatementEnd::Open;
        // The server of an upstream has the name of a block.
        $plain = $name === 'server' && ($in?->name !== 'upstream') ? null : $this->plain[$name] ?? null;
        $block = $name === 'server' && ($in?->name === 'upstream') ? null : $this->blocks[$name] ?? null;

        return match (true) {
            $plain === null && $block === null => null,
            $opens && $block === null => ParseIssue::noSemicolon($file, $line, $name, '"{"'),
            ! $opens && $plain === null => ParseIssue::noBlock($file, $line, $name),
            default => self::fits($arguments, $opens ? $block : $plain)
                ? null
                : ParseIssue::count($file, $line, $name, $arguments),
        };
    }

    public function isDirective(string $word): bool
    {
        return isset($this->plain[$word]) || isset($this->blocks[$word]);
    }

    /** @param array{int, int} $range */
    private static function fits(int $count, array $range): bool
    {
        return $count >= $range[0] && $count <= $range[1];
    }

    /** @return array{int, int} */
    private static function range(string $count): array
    {
        [$least, $most] = explode('-', $count);

        return [(int) $least, $most === '' ? PHP_INT_MAX : (int) $most];
    }
}
