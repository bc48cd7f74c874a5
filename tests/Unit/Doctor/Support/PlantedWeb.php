<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Unit\Doctor\Nginx\Config\FilesInMemory;

/**
 * Two nginx that send requests to two PHP-FPMs, sick or well.
 */
final readonly class PlantedWeb
{
    public function __construct(private WebServers $web, private bool $isSick) {}

    /** @param list<int> $unknown masters of which no configuration is known */
    public function nginx(array $unknown = [], string $more = ''): NginxServers
    {
        return $this->web->nginx([
            10 => in_array(10, $unknown, true) ? null : $this->config('one.conf', $more),
            20 => in_array(20, $unknown, true) ? null : $this->config('two.conf', ''),
        ], $this->isSick ? '1.29.7' : '1.22.1');
    }

    /**
     * @param list<string> $names of the pools that are read
     * @param ?array<string, mixed> $runtime what PHP says instead
     * @param list<string> $lost settings that were not read
     */
    public function fpm(array $names = ['www', 'api'], ?array $runtime = [], array $lost = []): FpmPools
    {
        $pools = [];

        foreach ($names as $name) {
            $pools[$name] = ['listen' => "/{$name}"] + array_diff_key($this->pool(), array_flip($lost));
        }

        return $this->web->fpm(
            $pools,
            [
                'process_control_timeout' => $this->isSick ? '0' : '20',
                'error_log' => $this->log(),
                'log_level' => 'notice',
            ],
            $runtime === [] ? $this->runtime() : $runtime,
            ['www' => (int) getmypid()],
            array_intersect_key(['api' => 80], $pools),
        );
    }

    /** In a container or on another machine. */
    public function unseen(): FpmPools
    {
        return new FpmPools(array_map(static fn (string $name): FpmPool => new FpmPool(
            RunningMaster::unseen(Address::parse("/{$name}")),
            (new PoolSettings($name, []))->with(new PhpSetting('listen', "/{$name}", '--fpm')),
            new PoolSettings('global', []),
            'it is known by its address alone',
        ), ['www', 'api']), [], []);
    }

    private function config(string $name, string $more): NginxConfig
    {
        $access = $this->web->path('access.log', $this->isSick
            ? str_repeat(
                "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /app.css HTTP/1.1\" 200 5 \"-\" \"-\"\n",
                900,
            )
            : "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /app.css HTTP/1.1\" 200 5 \"-\" \"-\"\n");
        $error = $this->web->path('error.log', $this->isSick
            ? str_repeat(
                '2026/11/22 10:00:00 [warn] 11#11: *7 an upstream response is buffered to a temporary file /t while'
                    ." reading upstream, client: 127.0.0.1, server: _, request: \"GET /r HTTP/1.1\"\n",
                50,
            )
            : "2026/11/22 10:00:00 [notice] 11#11: started\n");
        $isSick = $this->isSick;
        $text = 'worker_processes '.($isSick ? 1 : 8).";\nevents {\nworker_connections ".($isSick ? 64 : 4096)
            .";\n}\nerror_log {$error} warn;\nhttp {\naccess_log {$access}"
            .($isSick ? '' : ' combined buffer=64k flush=1s').";\n"
            .($isSick
                ? "keepalive_timeout 1s;\n"
                : "gzip on;\ngzip_types text/css application/javascript application/json;\nopen_file_cache"
                    ." max=9;\nfastcgi_connect_timeout 2s;\n")
            ."upstream php {\nserver unix:/www;\nserver unix:/api;\n".($isSick ? "keepalive 30;\n" : '')."}\n{$more}\n"
            ."server {\nlisten 80".($isSick ? ' backlog=65535' : '')
            .";\nroot /srv/public;\ntry_files \$uri /index.php;\nlocation / {\n"
            .($isSick ? "fastcgi_keep_conn on;\nfastcgi_next_upstream error timeout non_idempotent;\n" : '')
            ."fastcgi_read_timeout 5s;\nfastcgi_param SCRIPT_FILENAME"
            ." \$document_root\$fastcgi_script_name;\nfastcgi_pass php;\n}\n}\n}\n";

        return Parser::files(new FilesInMemory(["/etc/nginx/{$name}" => $text]), "/etc/nginx/{$name}");
    }

    /** @return array<string, string> */
    private function pool(): array
    {
        return $this->isSick
            ? [
                'pm' => 'dynamic',
                'pm.max_children' => '20',
                'pm.max_requests' => '3',
                'pm.start_servers' => '1',
                'pm.min_spare_servers' => '1',
                'request_terminate_timeout' => '9s',
                'listen.backlog' => '4',
                'access.log' => '/a',
                'php_admin_value[opcache.preload]' => '/p.php',
            ]
            : [
                'pm' => 'static',
                'pm.max_children' => '2',
                'pm.max_requests' => '0',
                'request_terminate_timeout' => '4s',
                'listen.backlog' => '511',
                'request_slowlog_timeout' => '2s',
                'slowlog' => '/s',
                'pm.status_path' => '/status',
                'pm.status_listen' => '/status.sock',
            ];
    }

    private function log(): string
    {
        return $this->web->path(
            'fpm.log',
            "[22-Nov-2026 10:00:00] NOTICE: fpm is running, pid 70\n".($this->isSick ? str_repeat(
                '[22-Nov-2026 10:00:01] WARNING: [pool www] seems busy (you may need to increase pm.start_servers,'
                    ." or pm.min/max_spare_servers), spawning 8 children, there are 0 idle, and 9 total children\n",
                9,
            ) : ''),
        );
    }

    /** @return array<string, mixed> */
    public function runtime(): array
    {
        $isSick = $this->isSick;

        return [
            'extensions' => ['Zend OPcache', ...($isSick ? ['xdebug'] : [])],
            'now' => 5_000,
            'ini' => [
                'opcache.enable' => $isSick ? '0' : '1',
                'opcache.validate_timestamps' => $isSick ? '1' : '0',
                'opcache.revalidate_freq' => '2',
                'open_basedir' => $isSick ? '/srv' : '',
                'xdebug.mode' => $isSick ? 'debug' : '',
            ],
            'opcache' => $this->opcache(),
            'configuration' => ['directives' => ['opcache.preload' => '/p.php']],
            'preload' => ['changed' => $isSick ? 2 : 0, 'first' => '/app/vendor/a/dev/A.php', 'script' => '/p.php'],
            'roots' => [
                'roots' => array_map(
                    static fn (string $path): array => [
                        'path' => $path,
                        'real' => $path,
                        'vendor' => $path,
                        'state' => null,
                        'how' => 'opcache',
                        'gone' => false,
                        'code' => true,
                        'entry' => true,
                    ],
                    $isSick ? ['/srv/a', '/srv/b'] : ['/srv/a'],
                ),
            ],
        ];
    }

    /** @return array<string, mixed> */
    private function opcache(): array
    {
        $isSick = $this->isSick;
        $free = $isSick ? 0 : 100_000_000;

        return [
            'opcache_enabled' => true, 'cache_full' => $isSick,
            'memory_usage' => [
                'used_memory' => 9_000_000,
                'free_memory' => $free,
                'wasted_memory' => 0,
                'current_wasted_percentage' => $isSick ? 60.0 : 0.1,
            ],
            'interned_strings_usage' => ['buffer_size' => 8_000_000, 'free_memory' => min($free, 7_000_000)],
            'opcache_statistics' => [
                'num_cached_scripts' => 470,
                'num_cached_keys' => $isSick ? 16_229 : 9,
                'max_cached_keys' => 16_229,
                'hits' => 970_000,
                'misses' => $isSick ? 900_000 : 470,
                'start_time' => 5,
                'oom_restarts' => $isSick ? 3 : 0,
                'hash_restarts' => $isSick ? 2 : 0,
                'manual_restarts' => $isSick ? 20 : 0,
            ],
            'jit' => [
                'enabled' => true,
                'on' => true,
                'buffer_size' => 1_000_000,
                'buffer_free' => $isSick ? 1 : 900_000,
            ],
            'preload_statistics' => [
                'scripts' => ['/p.php', '/app/vendor/a/dev/A.php'],
                'classes' => ['A'],
                'functions' => [],
            ],
        ];
    }
}
