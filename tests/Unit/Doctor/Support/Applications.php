<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Laravel\Queue\JobClasses;

/**
 * Applications in production that nothing is wrong with, but for what a test says.
 *
 * @phpstan-type OtherFacts array{
 *     isDebugging?: bool,
 *     environment?: string,
 *     cached?: list<string>,
 *     providers?: list<string>,
 *     workers?: list<QueueWorker>,
 *     calls?: list<string>,
 *     isOptimized?: ?bool,
 *     php?: PhpCli,
 *     classes?: list<JobClass>,
 * }
 */
final readonly class Applications
{
    private const GOOD = [
        'session' => ['driver' => 'redis', 'connection' => null, 'lottery' => [2, 100]],
        'cache' => [
            'default' => 'redis',
            'stores' => [
                'redis' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'default'],
                'file' => ['driver' => 'file'],
                'database' => ['driver' => 'database'],
            ],
        ],
        'queue' => [
            'default' => 'redis',
            'connections' => [
                'redis' => ['driver' => 'redis', 'connection' => 'default', 'retry_after' => 90, 'block_for' => 5],
                'sync' => ['driver' => 'sync'],
                'database' => ['driver' => 'database', 'retry_after' => 90],
            ],
        ],
        'database' => ['redis' => [
            'client' => 'phpredis',
            'options' => ['cluster' => 'redis', 'prefix' => 'app_', 'persistent' => true],
            'default' => [
                'host' => '127.0.0.1',
                'port' => '6379',
                'database' => '0',
                'timeout' => 1.0,
                'read_timeout' => 10.0,
            ],
            'cache' => [
                'host' => '127.0.0.1',
                'port' => '6379',
                'database' => '1',
                'timeout' => 1.0,
                'read_timeout' => 2.0,
            ],
        ]],
        'logging' => [
            'default' => 'stack',
            'channels' => [
                'stack' => ['driver' => 'stack', 'channels' => ['single']],
                'single' => ['driver' => 'single', 'level' => 'warning'],
                'null' => ['driver' => 'monolog'],
            ],
        ],
        'telescope' => ['enabled' => true],
    ];

    /**
     * @param array<string, mixed> $config by key with dots; what is null here is taken out
     * @param list<string> $cached
     * @param list<string> $providers
     * @param list<QueueWorker> $workers
     * @param list<string> $calls of env()
     * @param list<JobClass> $classes
     */
    public static function with(
        array $config = [],
        bool $isDebugging = false,
        string $environment = 'production',
        array $cached = ['config', 'events', 'routes', 'views'],
        array $providers = [],
        array $workers = [],
        array $calls = [],
        ?bool $isOptimized = true,
        PhpCli $php = new PhpCli(60.0, '6.0.2'),
        array $classes = [],
    ): Facts {
        $all = self::GOOD;

        foreach ($config as $key => $value) {
            $all = array_replace_recursive($all, self::nested(explode('.', $key), $value));
        }

        $application = new Application(
            '/app',
            '12.0.0',
            $environment,
            $isDebugging,
            $cached,
            $all,
            [],
            $providers,
            ['.env' => "APP_ENV=production\n"],
            [],
            $calls,
            $isOptimized,
        );

        return new Facts([
            Application::class => static fn (): Application => $application,
            PhpCli::class => static fn (): PhpCli => $php,
            JobClasses::class => static fn (): JobClasses => new JobClasses($classes),
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers($workers),
        ]);
    }

    /**
     * @param list<string> $keys
     * @return array<string, mixed>
     */
    private static function nested(array $keys, mixed $value): array
    {
        $key = (string) array_shift($keys);

        return [$key => $keys === [] ? $value : self::nested($keys, $value)];
    }
}
