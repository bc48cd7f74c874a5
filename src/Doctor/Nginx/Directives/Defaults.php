<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\NginxVersion;
use LogicException;

/**
 * The value of a directive that the configuration does not set, by the version of nginx.
 *
 * @link https://nginx.org/en/docs/dirindex.html
 * @link https://nginx.org/en/CHANGES
 *
 * @internal
 */
final readonly class Defaults
{
    private const ALWAYS = [
        'worker_processes' => '1',
        'worker_connections' => '512',
        'multi_accept' => 'off',
        'access_log' => 'logs/access.log combined',
        'keepalive_timeout' => '75s',
        'client_body_timeout' => '60s',
        'client_max_body_size' => '1m',
        'send_timeout' => '60s',
        'sendfile' => 'off',
        'open_file_cache' => 'off',
        'gzip' => 'off',
        'gzip_types' => 'text/html',
        'gzip_static' => 'off',
        'fastcgi_keep_conn' => 'off',
        'fastcgi_connect_timeout' => '60s',
        'fastcgi_send_timeout' => '60s',
        'fastcgi_read_timeout' => '60s',
        'fastcgi_next_upstream' => 'error timeout',
        'fastcgi_buffering' => 'on',
        // A page of memory, 4096 bytes on nearly every machine.
        'fastcgi_buffer_size' => '4k',
        'fastcgi_buffers' => '8 4k',
        'fastcgi_max_temp_file_size' => '1024m',
        'fastcgi_cache' => 'off',
        'fastcgi_cache_lock' => 'off',
        'fastcgi_cache_use_stale' => 'off',
        'proxy_next_upstream' => 'error timeout',
        'proxy_read_timeout' => '60s',
    ];

    /** From which version on which value holds, the newest first; before them there was no such directive. */
    private const CHANGED = [
        'keepalive_requests' => ['1.19.10' => '1000', '0.8.0' => '100'],
        'keepalive_time' => ['1.19.10' => '1h'],
    ];

    /** In upstream blocks, which inherit nothing. */
    private const UPSTREAM = [
        'keepalive' => ['1.29.7' => '32 local', '1.1.4' => '0'],
        'keepalive_requests' => ['1.19.10' => '1000', '1.15.3' => '100'],
        'keepalive_time' => ['1.19.10' => '1h'],
        'keepalive_timeout' => ['1.15.3' => '60s'],
    ];

    /** @param ?NginxVersion $version null where it could not be asked for */
    public function __construct(private ?NginxVersion $version) {}

    /** @throws LogicException of a directive that is not among them */
    public function of(string $name): NginxSetting
    {
        return isset(self::ALWAYS[$name])
            ? NginxSetting::byDefault($name, self::ALWAYS[$name], $this->version)
            : $this->changed(
                $name,
                self::CHANGED[$name] ?? throw new LogicException("No default of {$name} is known."),
            );
    }

    /** @throws LogicException of a directive that is not among them */
    public function ofUpstream(string $name): NginxSetting
    {
        return $this->changed(
            $name,
            self::UPSTREAM[$name] ?? throw new LogicException("No default of {$name} in an upstream is known."),
        );
    }

    /** @param array<string, string> $values by version, the newest first */
    private function changed(string $name, array $values): NginxSetting
    {
        if ($this->version === null) {
            return NginxSetting::unknown(
                $name,
                'its default depends on the version of nginx, which is not known. To see it: nginx -v',
            );
        }

        foreach ($values as $since => $value) {
            if ($this->version->isAtLeast($since)) {
                return NginxSetting::byDefault($name, $value, $this->version);
            }
        }

        return NginxSetting::lacking($name, $this->version);
    }
}
