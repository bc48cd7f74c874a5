<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Assert;

/**
 * The files that a stack serves and is configured with.
 */
final readonly class StackFiles
{
    public const NGINX = <<<'CONF'
        daemon off;
        worker_processes auto;
        worker_rlimit_nofile 8192;
        pid %DIR%/nginx.pid;
        error_log %DIR%/nginx.log warn;
        events {
            worker_connections 4096;
        }
        http {
            log_format timed '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" request_time=$request_time upstream_connect_time=$upstream_connect_time upstream_header_time=$upstream_header_time upstream_response_time=$upstream_response_time';
            access_log %DIR%/access.log timed buffer=64k flush=5s;
            gzip on;
            gzip_types text/css application/javascript application/json;
            keepalive_timeout 65s;
            keepalive_requests 1000;
            client_body_temp_path %DIR%/body;
            proxy_temp_path %DIR%/proxy;
            fastcgi_temp_path %DIR%/fastcgi;
            uwsgi_temp_path %DIR%/uwsgi;
            scgi_temp_path %DIR%/scgi;
            upstream php {
                server unix:%DIR%/fpm.sock;
            }
            server {
                listen 127.0.0.1:%PORT%;
                location / {
                    fastcgi_param SCRIPT_FILENAME %DIR%/index.php;
                    fastcgi_param REQUEST_METHOD $request_method;
                    fastcgi_param QUERY_STRING $query_string;
                    fastcgi_param REQUEST_URI $request_uri;
                    fastcgi_pass php;
                }
            }
        }

        CONF;

    public const FPM = <<<'CONF'
        [global]
        error_log = %DIR%/fpm.log
        process_control_timeout = 10s
        [www]
        listen = %DIR%/fpm.sock
        listen.backlog = 511
        pm = static
        pm.max_children = 4
        pm.status_path = /fpm-status
        pm.status_listen = %DIR%/status.sock
        slowlog = %DIR%/slow.log
        request_slowlog_timeout = 2s
        request_slowlog_trace_depth = 60
        request_terminate_timeout = 55s
        php_admin_value[opcache.enable] = 1
        php_admin_value[opcache.validate_timestamps] = 0

        CONF;

    /** Does what its query asks for. */
    private const SCRIPT = <<<'PHP'
        <?php
        if (isset($_GET['waste'])) {
            opcache_compile_file(__DIR__.'/large.php');
            opcache_invalidate(__DIR__.'/large.php', true);
        }
        if (isset($_GET['reset'])) { opcache_reset(); }
        if (isset($_GET['other'])) { require __DIR__."/{$_GET['other']}/public/app.php"; }
        if (isset($_GET['jit'])) { require __DIR__.'/jit.php'; }
        usleep((int) ($_GET['us'] ?? 0));
        echo 'served', str_repeat('x', 1024 * (int) ($_GET['kb'] ?? 0));
        PHP;

    private function __construct(private TemporaryDirectory $directory) {}

    /** @param ?string $script what is served in place of the script that does what its query asks for */
    public static function write(TemporaryDirectory $directory, ?string $script): void
    {
        $files = new self($directory);
        $files->file('index.php', $script ?? self::SCRIPT);
        $files->file('acts.php', self::SCRIPT);
        // So large that its waste is seen, and so old that opcache takes it.
        $files->file(
            'large.php',
            '<?php return ['
                .implode(
                    ',',
                    array_map(static fn (int $i): string => "'key {$i}' => ['{$i}', [{$i}]]", range(1, 20_000)),
                )
                .'];',
            -100,
        );
        $files->file('preload.php', '<?php opcache_compile_file(__DIR__."/preloaded.php");', -100);
        $files->file('preloaded.php', '<?php final class Preloaded {}', -100);
        $files->file(
            'nothing.php',
            '<?php error_log("headroom preload: the packages are others: nothing is preloaded");',
            -100,
        );
        $files->file(
            'jit.php',
            '<?php '
                .implode(
                    "\n",
                    array_map(
                        static fn (int $i): string => "function jit{$i}(int \$a): int { for (\$b = 0; \$b < 9;"
                            ." \$b++) { \$a += \$b * {$i}; } return \$a; }",
                        range(1, 2_000),
                    ),
                ),
            -100,
        );
        $files->file('asset.css', 'body {}');

        foreach (['1', '2'] as $release) {
            mkdir("{$directory->path}/releases/{$release}/public", recursive: true);
            $files->file("releases/{$release}/public/index.php", $script ?? self::SCRIPT);
            $files->file(
                "releases/{$release}/preload.php",
                '<?php opcache_compile_file(__DIR__."/Release.php");',
                -100,
            );
            $files->file("releases/{$release}/Release.php", '<?php final class Release {}', -100);
        }

        $files->applications();
        mkdir("{$directory->path}/elsewhere/site/public", recursive: true);
        symlink("{$directory->path}/elsewhere/site", $directory->file('moved'));
        symlink("{$directory->path}/releases/2", $directory->file('current'));
    }

    /** @param array<string, string> $lines the replacement of each line, by the line */
    public static function planted(string $text, array $lines): string
    {
        foreach ($lines as $old => $new) {
            Assert::assertSame(1, substr_count($text, "{$old}\n"), "'{$old}' is once in the configuration.");
            $text = str_replace("{$old}\n", $new === '' ? '' : "{$new}\n", $text);
        }

        return $text;
    }

    private function applications(): void
    {
        // The directories that Composer creates in an application.
        foreach (['one', 'two', 'releases/1', 'releases/2'] as $application) {
            is_dir("{$this->directory->path}/{$application}/vendor/composer")
                || mkdir("{$this->directory->path}/{$application}/vendor/composer", recursive: true);
            is_dir("{$this->directory->path}/{$application}/public")
                || mkdir("{$this->directory->path}/{$application}/public");
            $this->file("{$application}/vendor/composer/autoload_real.php", '<?php', -100);
            $this->file(
                "{$application}/vendor/autoload.php",
                '<?php require __DIR__."/composer/autoload_real.php";',
                -100,
            );
            $this->file(
                "{$application}/public/app.php",
                '<?php require dirname(__DIR__)."/vendor/autoload.php";',
                -100,
            );
        }

        // PHP tells which directories it has read by the files that it found there.
        mkdir($this->directory->file('conf.d'));
        $this->file('conf.d/stack.ini', "; of this stack\n");
    }

    private function file(string $name, string $text, int $seconds = 0): void
    {
        $path = $this->directory->write($name, $text);
        chmod($path, 0o644);
        touch($path, time() + $seconds);
    }
}
