<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Tests\Laravel\Support\ScratchApplication;
use RuntimeException;

/**
 * A small Laravel application as it is deployed, with its sessions, cache and queue in Redis and its tables in MariaDB,
 * and nothing wrong but what is planted in it.
 */
final readonly class PlantedApplication
{
    private const CONFIG = [
        'app' => "['env' => env('APP_ENV', 'production'), 'debug' => (bool) env('APP_DEBUG', false), 'key' =>"
            ." env('APP_KEY'), 'cipher' => 'AES-256-CBC', 'locale' => 'en', 'fallback_locale' => 'en', 'timezone' =>"
            ." 'UTC', 'name' => 'x', 'url' => 'http://localhost']",
        'session' => "['driver' => env('SESSION_DRIVER', 'redis'), 'connection' => 'default', 'lottery' => [2, 100],"
            ." 'table' => 'sessions', 'files' => storage_path('framework/sessions'), 'cookie' => 's']",
        'cache' => "['default' => env('CACHE_STORE', 'redis'), 'stores' => ['file' => ['driver' => 'file', 'path' =>"
            ." storage_path('framework/cache/data')], 'memcached' => ['driver' => 'memcached'], 'redis' => ['driver' =>"
            ." 'redis', 'connection' => 'cache', 'lock_connection' => 'default']]]",
        'queue' => "['default' => env('QUEUE_CONNECTION', 'redis'), 'connections' => ['sync' => ['driver' => 'sync'],"
            ." 'redis' => ['driver' => 'redis', 'connection' => 'default', 'queue' => 'default', 'retry_after' => 90,"
            ." 'block_for' => 5]]]",
        'horizon' => "['defaults' => ['supervisor-1' => ['connection' => 'redis', 'timeout' => 80]]]",
        'logging' => "['default' => 'single', 'channels' => ['single' => ['driver' => 'single', 'path' =>"
            ." storage_path('logs/laravel.log'), 'level' => env('LOG_LEVEL', 'warning')]]]",
        'database' => "['default' => 'mysql', 'connections' => ['mysql' => ['driver' => 'mysql', 'host' => '%HOST%',"
            ." 'port' => '%PORT%', 'database' => '%DATABASE%', 'username' => '%USERNAME%', 'password' => '%PASSWORD%',"
            ." 'charset' => 'utf8mb4', 'options' => []]], 'redis' => ['client' => env('REDIS_CLIENT', 'phpredis'),"
            ." 'options' => ['persistent' => env('REDIS_PERSISTENT', false)], 'default' => ['host' => env('REDIS_HOST',"
            ." '%REDIS%'), 'port' => env('REDIS_PORT', 0), 'database' => 0, 'timeout' => 1, 'read_timeout' => 9],"
            ." 'cache' => ['host' => env('REDIS_HOST', '%REDIS%'), 'port' => env('REDIS_PORT', 0), 'database' => 1,"
            ." 'timeout' => 1, 'read_timeout' => 9]]]",
    ];

    private const ENV = [
        'APP_ENV' => 'production',
        'APP_DEBUG' => 'false',
        'APP_KEY' => 'base64:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
        'REDIS_PERSISTENT' => 'true',
    ];

    private function __construct(public ScratchApplication $application) {}

    /**
     * @param array<string, string> $sql host, port, database, username, password
     */
    public static function with(Planting $planting, PlantedRedis $redis, array $sql): self
    {
        $made = new self(ScratchApplication::onThisCheckout());
        $app = $made->application;
        $app->shareWithEverybody();
        $left = $planting->config;

        foreach (self::CONFIG as $name => $code) {
            foreach ($planting->config as $old => $new) {
                if (str_contains($code, $old)) {
                    $code = str_replace($old, $new, $code);
                    unset($left[$old]);
                }
            }

            $app->config(
                $name,
                strtr($code, [
                    '%REDIS%' => $redis->socket(),
                    '%HOST%' => $sql['host'],
                    '%PORT%' => $sql['port'],
                    '%DATABASE%' => $sql['database'],
                    '%USERNAME%' => $sql['username'],
                    '%PASSWORD%' => $sql['password'],
                ]),
            );
        }

        $left === [] || throw new RuntimeException("{$planting->name}: its pieces are in no file of config/.");
        $env = $planting->env + self::ENV;
        $app->write(
            '.env',
            implode(
                '',
                array_map(
                    static fn (string $name): string => "{$name}="
                        .strtr($env[$name], ['%PORT%' => (string) $redis->server->port])."\n",
                    array_keys($env),
                ),
            ),
        );
        $app->write('composer.json', '{"autoload": {"psr-4": {"App\\\\": "app/"}}}');
        $app->write('resources/views/page.blade.php', '{{ $text }}');

        foreach ($planting->files as $name => $text) {
            $app->write($name, $text);
        }

        foreach (['optimize', ...$planting->artisan] as $command) {
            $outcome = $app->artisan($command);
            $outcome->exit === 0 || throw new RuntimeException("php artisan {$command}: {$outcome->all()}");
        }

        return $made;
    }
}
