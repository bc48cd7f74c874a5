<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Laravel\Queue\JobClass;
use Headroom\Doctor\Status;

/**
 * Settings as near as can be to faulty ones with which no check fires.
 *
 * @phpstan-import-type OtherFacts from Applications
 */
final readonly class NearSettings
{
    private const IDS = [
        'R1', 'R2', 'R4', 'R11', 'R12', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8', 'L9', 'L11', 'L12', 'L13',
        'L14', 'L15', 'L16',
    ];

    /**
     * @return iterable<string, array{string, array<string, mixed>, OtherFacts, Status}>
     */
    public static function all(): iterable
    {
        foreach (self::IDS as $id) {
            yield "{$id}: a good application" => [
                $id,
                [],
                [],
                in_array($id, ['L14', 'L15'], true) ? Status::Skipped : Status::Pass,
            ];
        }

        yield 'R1: persistent of the one, and no option of all' => [
            'R1',
            [
                'database.redis.options' => null,
                'database.redis.default.persistent' => true,
                'database.redis.cache.persistent' => 'true',
            ],
            [],
            Status::Pass,
        ];
        yield 'R1: a connection that nothing uses' => [
            'R1',
            ['database.redis.other' => ['host' => 'h', 'options' => ['persistent' => false]]],
            [],
            Status::Pass,
        ];
        yield 'R1: no Redis' => [
            'R1',
            ['session.driver' => 'file', 'cache.default' => 'file', 'queue.default' => 'sync'],
            [],
            Status::Skipped,
        ];
        yield 'R1: a cluster is not looked into' => [
            'R1',
            [
                'session.connection' => 'c',
                'cache.stores.redis.connection' => 'c',
                'queue.connections.redis.connection' => 'c',
                'database.redis.clusters' => ['c' => [['host' => 'h', 'port' => 1]]],
            ],
            [],
            Status::Unknown,
        ];
        yield 'R4: a cluster is not looked into' => [
            'R4',
            ['session.connection' => 'c', 'database.redis.clusters' => ['c' => [['host' => 'h', 'port' => 1]]]],
            [],
            Status::Unknown,
        ];
        yield 'R2: not persistent' => [
            'R2',
            ['database.redis.options.persistent' => false, 'database.redis.default.database' => null],
            [],
            Status::Skipped,
        ];
        yield 'R2: another place' => [
            'R2',
            ['database.redis.default.database' => null, 'database.redis.cache.port' => '6380'],
            [],
            Status::Pass,
        ];
        yield 'R2: no connection has a database' => [
            'R2',
            ['database.redis.default.database' => null, 'database.redis.cache.database' => null],
            [],
            Status::Pass,
        ];
        yield 'R4: an option of all' => [
            'R4',
            ['database.redis.default.timeout' => null, 'database.redis.options.timeout' => 0.5],
            [],
            Status::Pass,
        ];
        yield 'R11: nothing uses it' => [
            'R11',
            [
                'database.redis.client' => 'predis',
                'session.driver' => 'file',
                'cache.default' => 'file',
                'queue.default' => 'sync',
            ],
            [],
            Status::Skipped,
        ];
        yield 'L1: on a developer\'s machine' => [
            'L1',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L1: other caches are missing' => ['L1', [], ['cached' => ['config']], Status::Pass];
        yield 'L2: on a developer\'s machine' => [
            'L2',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L2: other caches are missing' => ['L2', [], ['cached' => ['routes']], Status::Pass];
        yield 'L3: on a developer\'s machine' => [
            'L3',
            [],
            ['cached' => [], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L3: other caches are missing' => ['L3', [], ['cached' => ['events', 'views']], Status::Pass];
        yield 'L4: on a developer\'s machine' => [
            'L4',
            [],
            ['isDebugging' => true, 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L6: on a developer\'s machine' => [
            'L6',
            [],
            ['isOptimized' => false, 'environment' => 'local'],
            Status::Skipped,
        ];
        yield 'L6: it is not known' => ['L6', [], ['isOptimized' => null], Status::Unknown];
        yield 'L7: memcached' => ['L7', ['session.driver' => 'memcached'], [], Status::Pass];
        yield 'L8: a store whose name is that of a driver' => [
            'L8',
            ['cache.default' => 'file', 'cache.stores.file.driver' => 'apc'],
            [],
            Status::Pass,
        ];
        yield 'L9: sqs' => [
            'L9',
            ['queue.default' => 'sqs', 'queue.connections.sqs.driver' => 'sqs'],
            [],
            Status::Pass,
        ];
        yield 'L15: its ingest is Redis' => [
            'L15',
            ['pulse' => ['enabled' => true, 'ingest' => ['driver' => 'redis']]],
            ['providers' => ['Laravel\\Pulse\\PulseServiceProvider']],
            Status::Pass,
        ];
        yield 'L16: another server' => [
            'L16',
            ['database.redis.default' => ['database' => '1', 'port' => '6380']],
            [],
            Status::Pass,
        ];
        yield 'R4: Predis has its own' => [
            'R4',
            [
                'database.redis.client' => 'predis',
                'database.redis.default.read_write_timeout' => 9,
                'database.redis.cache.read_write_timeout' => 2,
            ],
            [],
            Status::Pass,
        ];
        yield 'R4: the address says it' => [
            'R4',
            [
                'database.redis.default.read_timeout' => null,
                'database.redis.default.url' => 'redis://h:1?read_timeout=9',
            ],
            [],
            Status::Pass,
        ];
        yield 'L12: another queue' => ['L12', ['queue.default' => 'database'], [], Status::Skipped];
        yield 'L13: a channel that is not in use' => [
            'L13',
            ['logging.channels.other' => ['driver' => 'single', 'level' => 'debug']],
            [],
            Status::Pass,
        ];
        yield 'L14: switched off' => [
            'L14',
            ['telescope.enabled' => 'false'],
            ['providers' => ['Laravel\\Telescope\\TelescopeServiceProvider']],
            Status::Pass,
        ];
        yield 'L14: on a developer\'s machine' => [
            'L14',
            [],
            ['providers' => ['Laravel\\Telescope\\TelescopeServiceProvider'], 'environment' => 'local'],
            Status::Skipped,
        ];
        yield from self::figuresThatDoNot();
    }

    /**
     * @return iterable<string, array{string, array<string, mixed>, OtherFacts, Status}>
     */
    private static function figuresThatDoNot(): iterable
    {
        yield 'L11: Horizon ends first' => [
            'L11',
            ['horizon' => [
                'defaults' => ['supervisor-1' => ['connection' => 'redis', 'timeout' => 60]],
                'environments' => ['local' => ['supervisor-1' => ['timeout' => 300]]],
            ]],
            [],
            Status::Pass,
        ];
        yield 'L11: a worker ends first' => ['L11', [], ['workers' => [new QueueWorker(1, 'redis', 89)]], Status::Pass];
        yield 'L11: a connection without retry_after' => [
            'L11',
            [],
            ['workers' => [new QueueWorker(1, 'sqs', 600)]],
            Status::Pass,
        ];
        yield 'L11: jobs within requests' => [
            'L11',
            [
                'queue.default' => 'sync',
                'queue.connections' => ['redis' => ['retry_after' => null], 'database' => ['retry_after' => null]],
            ],
            [],
            Status::Skipped,
        ];
        yield 'L11: SQS alone knows' => [
            'L11',
            [
                'queue.default' => 'sqs',
                'queue.connections.sqs' => ['driver' => 'sqs', 'prefix' => 'https://sqs.eu/1', 'queue' => 'a'],
            ],
            [],
            Status::Unknown,
        ];
        yield 'L11: a class that ends first' => [
            'L11',
            [],
            ['classes' => [new JobClass('A', 89, null, 'app/Jobs/A.php:9')]],
            Status::Pass,
        ];
        yield 'L11: a section of Horizon that matches comes first' => [
            'L11',
            ['horizon' => ['environments' => [
                'prod*' => ['s' => ['timeout' => 60]],
                '*' => ['s' => ['timeout' => 600]],
            ]]],
            [],
            Status::Pass,
        ];
        yield 'R12: half a second longer' => ['R12', ['database.redis.default.read_timeout' => 5.5], [], Status::Pass];
        yield 'R12: the default of PHP is longer' => [
            'R12',
            ['database.redis.default.read_timeout' => null],
            [],
            Status::Pass,
        ];
        yield 'R12: no queue blocks' => [
            'R12',
            ['queue.connections.redis.block_for' => null, 'database.redis.default.read_timeout' => 1],
            [],
            Status::Pass,
        ];
        yield 'R12: Predis waits forever' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'queue.connections.redis.block_for' => 0,
                'database.redis.default.read_write_timeout' => 0,
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: Predis waits forever by -1' => [
            'R12',
            [
                'database.redis.client' => 'predis',
                'queue.connections.redis.block_for' => 0,
                'database.redis.default.read_write_timeout' => '-1',
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: phpredis waits forever' => [
            'R12',
            ['queue.connections.redis.block_for' => 0, 'database.redis.default.read_timeout' => -1],
            [],
            Status::Pass,
        ];
        yield 'R12: PHP waits forever' => [
            'R12',
            ['queue.connections.redis.block_for' => 0, 'database.redis.default.read_timeout' => null],
            ['php' => new PhpCli(-1.0, null)],
            Status::Pass,
        ];
        yield 'R12: the address gives the patience' => [
            'R12',
            [
                'database.redis.default.url' => 'redis://h:1/0?read_timeout=9',
                'database.redis.default.read_timeout' => 1,
            ],
            [],
            Status::Pass,
        ];
        yield 'R12: a negative one of an unknown phpredis' => [
            'R12',
            ['database.redis.default.read_timeout' => -1],
            ['php' => new PhpCli(60.0, null)],
            Status::Unknown,
        ];
        yield 'R12: a connection that is not there' => [
            'R12',
            ['queue.connections.redis.connection' => 'gone'],
            [],
            Status::Unknown,
        ];
        yield 'R12: a client that is not known' => ['R12', ['database.redis.client' => 'relay'], [], Status::Unknown];
        yield 'R12: what is no number' => ['R12', ['queue.connections.redis.block_for' => 'soon'], [], Status::Unknown];
        yield 'R12: no queue in Redis' => ['R12', ['queue.connections.redis.driver' => 'sqs'], [], Status::Skipped];
    }
}
